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

/** A puzzle as it lies in puzzles.json. */
interface Puzzle {
  id: string;
  /** The position; with unknown cards it is posed as one seat sees it. */
  position: string;
  /** The right move. */
  solution: string;
  /** What follows each wrong move: the best answers, move by move. */
  refutations: Record<string, string[]>;
  rating: number;
  theme: string;
  titles?: Partial<Record<Language, string>>;
}

async function load(): Promise<Puzzle[]> {
  const response = await fetch("puzzles.json");
  if (response.status === 404) return [];
  if (!response.ok) throw new Error(`${response.status}`);
  const file = (await response.json()) as { puzzles: Puzzle[] };
  return file.puzzles;
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
  const chosen = useMemo(() => {
    const some = (loaded.answer ?? []).filter((puzzle) => !theme || puzzle.theme === theme);
    return some.sort((a, b) => (order === "hard" ? b.rating - a.rating : a.rating - b.rating));
  }, [loaded.answer, theme, order]);
  const all = loaded.answer;
  if (loaded.error) return <Failure error={loaded.error} again={loaded.again} />;
  if (!all) return <p role="status">{say("thinking")}</p>;
  const at = chosen.findIndex((puzzle) => puzzle.id === params.get("id"));
  const puzzle = chosen[at];
  const link = (id: string | undefined) => href("puzzles", { id, theme, order: order === "easy" ? null : order });
  return (
    <>
      <h2>{say("puzzlesTitle")}</h2>
      {all.length === 0 ? (
        <p>{say("noPuzzles")}</p>
      ) : puzzle ? (
        <Posed
          key={puzzle.id}
          puzzle={puzzle}
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
                onChange={(event) => go("puzzles", { theme: event.currentTarget.value, order }, true)}
              >
                <option value="">{say("allThemes")}</option>
                {[...new Set(all.map((each) => each.theme))].sort().map((each) => (
                  <option key={each} value={each}>
                    {each}
                  </option>
                ))}
              </select>
            </label>
            <label>
              {say("difficulty")}{" "}
              <select
                value={order}
                onChange={(event) => go("puzzles", { theme, order: event.currentTarget.value }, true)}
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
                    {say("rating", each.rating)} · {each.theme}
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
  return <b>{puzzle.titles?.[language] ?? puzzle.titles?.en ?? say("puzzle", puzzle.id)}</b>;
}

interface PosedProps {
  puzzle: Puzzle;
  done: boolean;
  onSolved: () => void;
  previous: string | undefined;
  next: string | undefined;
}

function Posed({ puzzle, done, onSolved, previous, next }: PosedProps) {
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
  const answer = tried === null ? undefined : puzzle.refutations[tried];
  return (
    <div class="columns">
      <div class="main-column">
        <p class="rules">
          <Title puzzle={puzzle} /> · {say("rating", puzzle.rating)} · {puzzle.theme}
          {done && <span class="tag">✓ {say("solved")}</span>}
        </p>
        <p>{say(told.known ? "findWin" : "findBest", actor)}</p>
        <Table
          {...{ told, table, chosen }}
          bottom={told.known ? actor : firstKnown(told)}
          onChoose={(card) => setChosen(toggled(chosen, card))}
        />
        <Actions
          told={told}
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
                <b>{say("right")}</b> {say("solutionIs", moveText(say, language, tried))}
              </p>
            ) : (
              <p class="verdict-wrong">
                {say("wrong", moveText(say, language, tried))}{" "}
                {answer && answer.length > 0 && (
                  <>
                    {say("refutation", "")}
                    {answer.map((move, at) => (
                      <span key={at} class="step">
                        <MoveText move={move} />{" "}
                      </span>
                    ))}
                  </>
                )}
              </p>
            ))}
          {shown && <p>{say("solutionIs", moveText(say, language, puzzle.solution))}</p>}
        </div>
        <div class="buttons">
          <button type="button" onClick={() => setShown(true)}>
            {say("solution")}
          </button>
          <a class="button" href={href("table", { p: puzzle.position, m: tried })}>
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
