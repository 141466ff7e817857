// Puzzles: a position with one right move, and what answers each of the others.

import { useMemo, useState } from "preact/hooks";

import { MoveText, moveText } from "./cards.js";
import { useSay, useSettings } from "./context.js";
import { Failure } from "./parts.js";
import { Actions, firstKnown, toggled } from "./play.js";
import { go, href } from "./route.js";
import { describe, useAsked } from "./service.js";
import { Table } from "./table.js";
import type { Language } from "./words.js";

type Texts = Partial<Record<Language, string>>;

/** A puzzle as it lies in puzzles.json, which docs/puzzles.md describes. */
interface Puzzle {
  id: string;
  /** `clairvoyant`, all cards known, or `seat`. */
  kind: "clairvoyant" | "seat";
  /** Of `seat`: the deals that fit. */
  worlds?: number;
  /** The position; with unknown cards it is posed as one seat sees it. */
  position: string;
  title: Texts;
  rating: number;
  themes: string[];
  /** The right move, and best play from it on. */
  solution: string;
  line: string[];
  /** Every other move, with what answers it: in a world where it fails, if cards are hidden. */
  wrong: { move: string; line: string[]; world?: string }[];
}

interface PuzzleFile {
  themes: Record<string, Texts>;
  puzzles: Puzzle[];
}

async function load(): Promise<PuzzleFile> {
  const response = await fetch("puzzles.json");
  if (response.status === 404) return { themes: {}, puzzles: [] };
  if (!response.ok) throw new Error(`${response.status}`);
  return (await response.json()) as PuzzleFile;
}

function inLanguage(texts: Texts | undefined, language: Language): string {
  return texts?.[language] ?? texts?.en ?? "";
}

const SOLVED = "bura.solved";

function solvedBefore(): Set<string> {
  try {
    return new Set(JSON.parse(localStorage.getItem(SOLVED) ?? "[]") as string[]);
  } catch {
    return new Set();
  }
}

function keepSolved(solved: ReadonlySet<string>): void {
  try {
    localStorage.setItem(SOLVED, JSON.stringify([...solved]));
  } catch {
    // The browser keeps nothing for this page.
  }
}

export function PuzzleScreen({ params }: { params: URLSearchParams }) {
  const say = useSay();
  const loaded = useAsked("puzzles", load);
  const [solved, setSolved] = useState(solvedBefore);
  const theme = params.get("theme") ?? "";
  const order = params.get("order") ?? "easy";
  const kind = params.get("kind") ?? "";
  const chosen = useMemo(() => {
    const some = (loaded.answer?.puzzles ?? []).filter(
      (puzzle) => (!theme || puzzle.themes.includes(theme)) && (!kind || puzzle.kind === kind),
    );
    return some.sort((a, b) => (order === "hard" ? b.rating - a.rating : a.rating - b.rating));
  }, [loaded.answer, theme, kind, order]);
  const { language } = useSettings();
  const all = loaded.answer?.puzzles;
  const themes = loaded.answer?.themes ?? {};
  const named = (puzzle: Puzzle) =>
    puzzle.themes.map((each) => inLanguage(themes[each], language) || each).join(", ");
  if (loaded.error) return <Failure error={loaded.error} again={loaded.again} />;
  if (!all) return <p role="status">{say("thinking")}</p>;
  const at = chosen.findIndex((puzzle) => puzzle.id === params.get("id"));
  const puzzle = chosen[at];
  const link = (id: string | undefined) => href("puzzles", { id, theme, kind, order: order === "easy" ? null : order });
  return (
    <>
      <h2>{say("puzzlesTitle")}</h2>
      {all.length === 0 ? (
        <p>{say("noPuzzles")}</p>
      ) : puzzle ? (
        <Posed
          key={puzzle.id}
          puzzle={puzzle}
          themes={named(puzzle)}
          done={solved.has(puzzle.id)}
          onSolved={() => {
            const next = new Set(solved).add(puzzle.id);
            setSolved(next);
            keepSolved(next);
          }}
          previous={chosen[at - 1] && link(chosen[at - 1]?.id)}
          next={chosen[at + 1] && link(chosen[at + 1]?.id)}
        />
      ) : (
        <>
          <p>
            {say("puzzlesHelp")} {say("solvedCount", all.filter((each) => solved.has(each.id)).length, all.length)}
          </p>
          <div class="fields">
            <label>
              {say("themeOf", "")}{" "}
              <select
                value={theme}
                onChange={(event) => go("puzzles", { theme: event.currentTarget.value, kind, order }, true)}
              >
                <option value="">{say("allThemes")}</option>
                {Object.entries(themes).map(([each, texts]) => (
                  <option key={each} value={each}>
                    {inLanguage(texts, language)}
                  </option>
                ))}
              </select>
            </label>
            <label>
              {say("kind")}{" "}
              <select
                value={kind}
                onChange={(event) => go("puzzles", { theme, kind: event.currentTarget.value, order }, true)}
              >
                <option value="">{say("allKinds")}</option>
                {(["clairvoyant", "seat"] as const).map((each) => (
                  <option key={each} value={each}>
                    {say(`kind_${each}`)}
                  </option>
                ))}
              </select>
            </label>
            <label>
              {say("difficulty")}{" "}
              <select
                value={order}
                onChange={(event) => go("puzzles", { theme, kind, order: event.currentTarget.value }, true)}
              >
                <option value="easy">{say("easiest")}</option>
                <option value="hard">{say("hardest")}</option>
              </select>
            </label>
          </div>
          <ol class="puzzle-list">
            {chosen.map((each) => (
              <li key={each.id}>
                <a href={link(each.id)}>
                  <Title puzzle={each} /> {solved.has(each.id) && <span class="tag">✓ {say("solved")}</span>}
                  <br />
                  <span class="quiet">
                    {say("rating", each.rating)}
                    {/* What a solution is about says much of it. */}
                    {(theme || solved.has(each.id)) && ` · ${named(each)}`}
                  </span>
                </a>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

function Title({ puzzle }: { puzzle: Puzzle }) {
  const say = useSay();
  const { language } = useSettings();
  return (
    <b>
      {say("puzzle", puzzle.id)}: {inLanguage(puzzle.title, language)}
    </b>
  );
}

function Line({ moves }: { moves: readonly string[] }) {
  return (
    <>
      {moves.map((move, at) => (
        <span key={at} class="step">
          <MoveText move={move} />{" "}
        </span>
      ))}
    </>
  );
}

/** What follows the solution; nothing where it ends the hand. */
function BestPlay({ line }: { line: readonly string[] }) {
  const say = useSay();
  if (line.length < 2) return null;
  return (
    <>
      {say("bestPlay")} <Line moves={line.slice(1)} />
    </>
  );
}

interface PosedProps {
  puzzle: Puzzle;
  themes: string;
  done: boolean;
  onSolved: () => void;
  previous: string | undefined;
  next: string | undefined;
}

function Posed({ puzzle, themes, done, onSolved, previous, next }: PosedProps) {
  const say = useSay();
  const { language } = useSettings();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [tried, setTried] = useState<string | null>(null);
  const [shown, setShown] = useState(false);
  const asked = useAsked(puzzle.position, () => describe(puzzle.position));
  const told = asked.answer;
  const table = told?.table;
  if (asked.error) return <Failure error={asked.error} again={asked.again} />;
  if (!told || !table) return <p role="status">{say("thinking")}</p>;
  const actor = told.actor ?? 0;
  const over = done || shown || tried === puzzle.solution;
  const failed = puzzle.wrong.find((each) => each.move === tried);
  const answer = failed?.line;
  // Raises are no answers to a puzzle.
  const posed = new Set([puzzle.solution, ...puzzle.wrong.map((each) => each.move)]);
  const offered = { ...told, moves: told.moves.filter((each) => posed.has(each.move)) };
  return (
    <div class="columns">
      <div class="main-column">
        <p class="rules">
          <Title puzzle={puzzle} /> · {say("rating", puzzle.rating)}
          {over && ` · ${themes}`}
          {done && <span class="tag">✓ {say("solved")}</span>}
        </p>
        <p>{told.known ? say("findWin", actor) : say("findSure", actor, puzzle.worlds ?? 0)}</p>
        <Table
          {...{ told, table, chosen }}
          bottom={told.known ? actor : firstKnown(told)}
          onChoose={(card) => setChosen(toggled(chosen, card))}
        />
        <Actions
          told={offered}
          chosen={chosen}
          play={(move) => {
            setTried(move);
            setChosen(new Set());
            if (move === puzzle.solution) onSolved();
          }}
        />
      </div>
      <div class="side-column">
        <div role="status">
          {tried !== null &&
            (tried === puzzle.solution ? (
              <p class="verdict-right">
                <b>{say("right")}</b> {say("solutionIs", moveText(say, language, tried))}{" "}
                <BestPlay line={puzzle.line} />
              </p>
            ) : (
              <p class="verdict-wrong">
                {say("wrong", moveText(say, language, tried))}{" "}
                {answer && answer.length > 0 && (
                  <>
                    {failed?.world && <>{say("inDeal")} <code class="line">{failed.world}</code> </>}
                    {say("refutation", "")}
                    <Line moves={answer} />
                  </>
                )}
              </p>
            ))}
          {shown && (
            <p>
              {say("solutionIs", moveText(say, language, puzzle.solution))}{" "}
              <BestPlay line={puzzle.line} />
            </p>
          )}
        </div>
        <div class="buttons">
          <button type="button" onClick={() => setShown(true)}>
            {say("solution")}
          </button>
          <a class="button" href={href("table", {
              p: failed?.world ?? puzzle.position,
              m: failed?.world || told.known ? tried : null,
            })}>
            {say("explore")}
          </a>
          {previous && (
            <a class="button" href={previous}>
              {say("previous")}
            </a>
          )}
          {next && (
            <a class="button main" href={next}>
              {say("next")}
            </a>
          )}
        </div>
      </div>
    </div>
  );
}
