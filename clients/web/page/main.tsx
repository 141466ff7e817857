// The page: its frame, and which screen is shown.

import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { Settled, useSay, useSettings } from "./context.js";
import type { ThemeChoice } from "./context.js";
import { useKeys } from "./keys.js";
import { PlayScreen } from "./play.js";
import { PuzzleScreen } from "./puzzles.js";
import { ReviewScreen } from "./review.js";
import { SCREENS, href, useRoute } from "./route.js";
import type { Screen } from "./route.js";
import { SetupScreen } from "./setup.js";
import { LANGUAGES, LANGUAGE_NAMES } from "./words.js";
import type { Language, Word } from "./words.js";

const NAMES: Record<Screen, Word> = {
  table: "navTable",
  setup: "navSetup",
  review: "navReview",
  puzzles: "navPuzzles",
};

function Page() {
  const say = useSay();
  const { language, theme, setLanguage, setTheme } = useSettings();
  const { screen, params } = useRoute();
  const help = useRef<HTMLDialogElement>(null);
  useKeys((key) => {
    if (key !== "?") return false;
    help.current?.showModal();
    return true;
  });
  useEffect(() => {
    const main = document.querySelector("main");
    if (document.activeElement === document.body) main?.scrollTo(0, 0);
  }, [screen]);
  const shown = {
    table: <PlayScreen params={params} />,
    setup: <SetupScreen params={params} />,
    review: <ReviewScreen params={params} />,
    puzzles: <PuzzleScreen params={params} />,
  }[screen];
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => {
        event.preventDefault();
        document.getElementById("main")?.focus();
      }}>
        {say("skip")}
      </a>
      <header>
        <h1>
          <a href={href("table")}>
            <span class="logo" aria-hidden="true">♠♥</span> {say("title")}
          </a>
        </h1>
        <nav aria-label={say("title")}>
          {SCREENS.map((name) => (
            <a key={name} href={href(name)} aria-current={name === screen ? "page" : undefined}>
              {say(NAMES[name])}
            </a>
          ))}
        </nav>
        <div class="settings">
          <label>
            <span class="unseen">{say("language")}</span>
            <select
              id="language"
              value={language}
              onChange={(event) => setLanguage(event.currentTarget.value as Language)}
            >
              {LANGUAGES.map((each) => (
                <option key={each} value={each} lang={each}>
                  {LANGUAGE_NAMES[each]}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span class="unseen">{say("theme")}</span>
            <select
              id="theme"
              value={theme}
              onChange={(event) => setTheme(event.currentTarget.value as ThemeChoice)}
            >
              <option value="auto">{say("themeAuto")}</option>
              <option value="light">{say("themeLight")}</option>
              <option value="dark">{say("themeDark")}</option>
            </select>
          </label>
          <button type="button" onClick={() => help.current?.showModal()} title="?">
            {say("help")}
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {shown}
      </main>
      <dialog ref={help} aria-labelledby="keys-head">
        <h2 id="keys-head">{say("keys")}</h2>
        <dl>
          {(
            [
              ["← →", "keyWalk"],
              ["Home End", "keyEnds"],
              ["1 – 9", "keyMove"],
              ["e", "keyEyes"],
              ["c", "keyCopy"],
              ["?", "keyHelp"],
            ] as const
          ).map(([key, word]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{say(word)}</dd>
            </div>
          ))}
        </dl>
        <p>{say("keyCards")}</p>
        <p>{say("about")}</p>
        <form method="dialog">
          <button class="main">{say("close")}</button>
        </form>
      </dialog>
    </>
  );
}

const root = document.getElementById("page");
if (root) {
  render(
    <Settled>
      <Page />
    </Settled>,
    root,
  );
}
