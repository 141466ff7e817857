// The table: a position, its moves with their values, moves played and taken back.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import { BuraError, Method, Verdict } from "../src/index.js";
import type {
  DescribePositionResponse,
  RecommendMoveResponse,
  SolvePositionResponse,
  TableMove,
  TablePosition,
  TableRules,
} from "../src/index.js";
import { MoveText, moveText } from "./cards.js";
import { useSay, useSettings } from "./context.js";
import type { Say } from "./context.js";
import { DealForm, filled } from "./deal.js";
import { useKeys, walkKey } from "./keys.js";
import { Failure, Faults, PasteBox, Share, Walk, percent } from "./parts.js";
import { Policy } from "./policy.js";
import { go, href } from "./route.js";
import { LIMITS, bura, describe, useAsked, useRefined } from "./service.js";
import type { Refined } from "./service.js";
import { Table, pileCount } from "./table.js";
import type { Word } from "./words.js";

const EXAMPLES: readonly [Word, string][] = [
  ["exampleDeal", "georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh -/- 0 -"],
  ["exampleEnding", "georgian3 h QhAcKd/KsThTc - 13/21 1 -"],
  ["exampleSeen", "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"],
  ["exampleClaim", "georgian3 h x3/KsTcJc x5Jh As(Jd)AcQd/ThKdx1Td 1 - claim=1"],
  [
    "exampleMixed",
    "georgian3 d JhQd/x2 - TsKsQsx1/AsJsAhKhQhKdJdAcTcKcQc(Ad) 0 - stake=2 raiser=1",
  ],
];

// Small endings are solved as the game that they are: of at most so many deals of both hands.
const MOST_DEALS = 5000;

export function PlayScreen({ params }: { params: URLSearchParams }) {
  const line = params.get("p");
  return line ? <Play line={line} params={params} /> : <Welcome />;
}

function Welcome() {
  const say = useSay();
  return (
    <div class="welcome">
      <PasteBox rows={3} />
      <section>
        <h2>{say("examples")}</h2>
        <ul class="examples">
          {EXAMPLES.map(([word, line]) => (
            <li key={word}>
              <a href={href("table", { p: line })}>{say(word)}</a>
              <code>{line}</code>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>{say("newDeal")}</h2>
        <DealForm onDeal={(position) => go("table", { p: position })} />
      </section>
      <p class="quiet">{say("about")}</p>
    </div>
  );
}

function Play({ line, params }: { line: string; params: URLSearchParams }) {
  const say = useSay();
  const { language } = useSettings();
  const moves = useMemo(() => (params.get("m") ?? "").split(",").filter(Boolean), [params.get("m")]);
  const last = moves.length;
  const at = Math.min(last, wholeNumber(params.get("n")) ?? last);
  const eyes = wholeNumber(params.get("s"));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [replying, setReplying] = useState(false);

  // The whole hand, for the list of its moves; then the position that is shown.
  const whole = useAsked(JSON.stringify([line, moves]), () => describe(line, moves));
  const hand = whole.answer;
  const good = hand !== undefined && !hand.faults.length && hand.steps.length === last;
  const full = good ? (at < last ? hand.steps[at]?.position : hand.position) : undefined;
  const shown = useAsked(
    full === undefined ? null : JSON.stringify([full, at === last, eyes ?? null]),
    async () =>
      at === last && eyes === undefined && hand ? hand : describe(full ?? "", [], eyes),
  );
  const open = useAsked(full ?? null, async () => (at === last && hand ? hand : describe(full ?? "")));
  const told = shown.answer;

  useEffect(() => setChosen(new Set()), [line, params.get("m"), at, eyes]);

  function goto(next: { m?: readonly string[]; n?: number | null; s?: number | null }): void {
    const m = next.m ?? moves;
    const n = next.n === undefined ? at : next.n;
    const s = next.s === undefined ? eyes : next.s;
    go("table", { p: line, m: m.join(","), n: n === null || n === m.length ? null : n, s });
  }

  function play(move: string): void {
    const m = [...moves.slice(0, at), move];
    // To walk forward along the same moves is not to begin another hand.
    const same = moves[at] === move;
    goto(same ? { n: at + 1 } : { m, n: null });
  }

  const known = open.answer?.known ?? false;
  const actor = open.answer?.actor;
  const playable = known && told?.actor !== undefined && (eyes === undefined || eyes === told.actor);
  const table = told?.table;
  const rules = told?.rules;
  const seats = table?.hands.length ?? 2;

  const solved = useAsked(
    told?.known && told.actor !== undefined && eyes === undefined ? `solve ${told.position}` : null,
    (signal) => bura.solver.solvePosition({ position: told?.position ?? "", limits: LIMITS }, { signal }),
    true,
  );
  const viewer = eyes ?? told?.actor;
  const askHint = told?.actor !== undefined && viewer === told.actor;
  const question = {
    position: told?.position ?? "",
    ...(told?.known || eyes !== undefined ? { seat: viewer ?? 0 } : {}),
  };
  const hintKey = askHint ? `hint ${told.position} ${viewer} ${told.known}` : null;
  const advised = useAsked(
    hintKey,
    (signal) =>
      bura.advisor.recommendMove({ ...question, limits: LIMITS, maxDeals: MOST_DEALS }, { signal }),
    true,
  );
  const refined = useRefined(hintKey, question);
  const advice = refined.answer ?? advised.answer;
  const rows = useMemo(
    () => (told ? valued(told, solved.answer, advice) : []),
    [told, solved.answer, advice],
  );
  const forSeats = (rules?.players ?? 2) > 2 && !rules?.pairs;

  async function reply(): Promise<void> {
    if (!full || actor === undefined) return;
    setReplying(true);
    try {
      const answer = await bura.advisor.recommendMove({ position: full, seat: actor, limits: LIMITS });
      // Of the moves that are played here: a raise is none of them.
      const [best] = answer.moves;
      if (best !== undefined) play(best.move);
    } finally {
      setReplying(false);
    }
  }

  useKeys((key) => {
    const target = walkKey(key, at, last);
    if (target !== null) {
      goto({ n: target });
      return true;
    }
    if (/^[1-9]$/.test(key) && playable) {
      const row = rows[Number(key) - 1];
      if (row) play(row.move.move);
      return row !== undefined;
    }
    if (key === "e" && known) {
      goto({ s: eyes === undefined ? 0 : eyes + 1 < seats ? eyes + 1 : null });
      return true;
    }
    if (key === "c" && told) {
      document.getElementById("copy-line")?.click();
      return true;
    }
    return false;
  });

  if (whole.error) return <Failure error={whole.error} again={whole.again} />;
  if (hand && !good) {
    return (
      <>
        <Faults faults={hand.faults} />
        <code class="line">{hand.position}</code>
        <p>
          <a class="button" href={href("setup", { p: hand.position })}>
            {say("edit")}
          </a>
        </p>
        <PasteBox />
      </>
    );
  }
  if (shown.error) return <Failure error={shown.error} again={shown.again} />;
  if (told?.faults.length) {
    return (
      <>
        <Eyes {...{ eyes, seats: hand?.rules?.players ?? 2, known }} onChange={(s) => goto({ s })} />
        <Faults faults={told.faults} />
      </>
    );
  }
  if (!told || !table) return <p role="status">{say("thinking")}</p>;
  const bottom = eyes ?? firstKnown(told);

  return (
    <div class="columns">
      <div class="main-column">
        <p class="rules">
          <b>{rules?.text}</b> · {say("target", rules?.target ?? 0)}
          {rules?.claimCeiling !== undefined && ` ${say("ceiling", rules.claimCeiling)}`}
          {table.options["stake"] && ` · ${say("stake", table.options["stake"])}`}
        </p>
        <Table
          {...{ told, table, bottom, eyes, chosen }}
          onChoose={playable ? (card) => setChosen(toggled(chosen, card)) : undefined}
        />
        {told.result || (at === last && hand?.result) ? (
          <ResultBox told={hand ?? told} />
        ) : playable ? (
          <Actions told={told} chosen={chosen} play={play} />
        ) : (
          !known && <PlayOn table={table} rules={rules} seat={bottom} />
        )}
        <div class="bar">
          <Walk at={at} last={last} to={(n) => goto({ n })} />
          <Eyes {...{ eyes, seats, known }} onChange={(s) => goto({ s })} />
          <a class="button" href={href("setup", { p: full ?? line })}>
            {say("edit")}
          </a>
        </div>
        <Share line={told.position} seat={eyes} record={hand?.record} />
      </div>
      <div class="side-column">
        <section aria-labelledby="moves-head">
          <h2 id="moves-head">{say("moves")}</h2>
          {told.actor !== undefined && !askHint && actor !== undefined && (
            <div>
              <p>{say("otherTurn", actor)}</p>
              <button type="button" class="main" disabled={replying} onClick={() => void reply()}>
                {say("replyButton", actor)}
              </button>
            </div>
          )}
          {askHint && (
            <MoveList
              rows={rows}
              exact={told.known ?? false}
              seats={forSeats}
              busy={solved.busy || advised.busy}
              play={playable ? play : undefined}
            />
          )}
          {solved.answer && solved.answer.seats.length > 0 && <SeatValues answer={solved.answer} />}
          {solved.error && <Failure error={solved.error} again={solved.again} />}
          {advised.error && !(told.known && advised.error.faults.length) && (
            <Failure error={advised.error} again={advised.again} />
          )}
          {advice && askHint && (
            <Hint answer={advice}>
              {advised.answer?.equilibrium && <Policy found={advised.answer.equilibrium} />}
            </Hint>
          )}
          {advised.answer && askHint && mayRefine(advised.answer) && <Refine {...{ refined }} />}
        </section>
        {last > 0 && hand && (
          <History
            hand={hand}
            at={at}
            to={(n) => goto({ n })}
            label={(move) => moveText(say, language, move)}
          />
        )}
      </div>
    </div>
  );
}

export function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,4}$/.test(text) ? Number(text) : undefined;
}

export function toggled(set: ReadonlySet<string>, card: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(card)) next.add(card);
  return next;
}

/** The seat whose hand is told, to lie at the bottom: whoever acts, if all are. */
export function firstKnown(told: DescribePositionResponse): number {
  const hands = told.table?.hands ?? [];
  const known = hands.findIndex((hand) => hand.cards.length > 0 && !hand.cards.includes("x"));
  return told.known ? 0 : Math.max(0, known);
}

export interface Row {
  move: TableMove;
  /** With all cards known: 1, 0 or -1; undefined where it is not proved or not asked. */
  outcome?: number | undefined;
  /** Among three and more single players: the same where everybody plays for himself. */
  expected?: number | undefined;
  bounds?: string | undefined;
  /** Chance of winning from what was seen. */
  win?: number | undefined;
  error?: number | undefined;
  /** How often an equilibrium makes it, 0 to 1. */
  often?: number | undefined;
  best: boolean;
}

function valued(
  told: DescribePositionResponse,
  solved: SolvePositionResponse | undefined,
  advised: RecommendMoveResponse | undefined,
): Row[] {
  const exact = new Map(solved?.moves.map((move, at) => [move.move, { move, at }]));
  const seen = new Map(advised?.moves.map((move, at) => [move.move, { move, at }]));
  const mixed = new Map(advised?.equilibrium?.moves.map((move) => [move.move, move.probability]));
  const best = solved?.best.length ? solved.best : (advised?.best ?? []);
  const rows = told.moves.map((move): Row & { order: number } => {
    const value = exact.get(move.move);
    const advice = seen.get(move.move);
    const bounded = value && value.move.value === undefined;
    return {
      move,
      outcome: value?.move.value,
      expected: value?.move.expected,
      bounds: bounded ? `${value.move.lower} … ${value.move.upper}` : undefined,
      win: advice?.move.win,
      error: advice?.move.standardError,
      best: best.includes(move.move),
      often: mixed.get(move.move),
      // Best first, as the service has it; equal ones by their chance.
      order:
        (value?.move.value !== undefined ? -1000 * value.move.value : value ? value.at : 0) -
        100 * (advice?.move.value ?? (solved ? 0 : -2)) +
        (value || advice ? 0 : 5000),
    };
  });
  return rows.sort((a, b) => a.order - b.order);
}

interface MoveListProps {
  rows: readonly Row[];
  exact: boolean;
  /** Whether it is three and more single players who play. */
  seats?: boolean;
  busy: boolean;
  play?: ((move: string) => void) | undefined;
}

export function MoveList({ rows, exact, seats, busy, play }: MoveListProps) {
  const say = useSay();
  // Where piles are bare points there is nothing to say about what a player has seen.
  const chances = busy || !exact || rows.some((row) => row.win !== undefined);
  return (
    <>
      <table class="moves">
        <thead>
          <tr>
            <th scope="col">{say("move")}</th>
            {exact && <th scope="col">{say(seats ? "sureValue" : "value")}</th>}
            {exact && seats && <th scope="col">{say("ownValue")}</th>}
            {chances && <th scope="col">{say("chance")}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr
              key={`${row.move.seat}${row.move.move}`}
              data-move={row.move.move}
              data-value={row.outcome}
              class={[row.best && "is-best", !exact && row.win !== undefined && "by-chance"]
                .filter(Boolean)
                .join(" ")}
              style={row.win === undefined ? {} : { "--win-chance": String(row.win) }}
            >
              <td>
                {play ? (
                  <button type="button" class="move" onClick={() => play(row.move.move)}>
                    <span class="number" aria-hidden="true">
                      {at < 9 ? at + 1 : ""}
                    </span>
                    <MoveText move={row.move.move} />
                  </button>
                ) : (
                  <span class="move">
                    <MoveText move={row.move.move} />
                  </span>
                )}
                {row.best && (
                  <span class="tag">{row.often === undefined ? say("best") : percent(row.often)}</span>
                )}
                {row.move.kind === "stop" && <span class="tag">{say("seat", row.move.seat ?? 0)}</span>}
              </td>
              {exact && (
                <td>
                  <ValueMark outcome={row.outcome} bounds={row.bounds} />
                </td>
              )}
              {exact && seats && (
                <td data-expected={row.expected}>
                  <ValueMark outcome={row.expected} />
                </td>
              )}
              {chances && (
                <td>
                  {row.win === undefined ? (
                    <span class="quiet">{busy ? "…" : "–"}</span>
                  ) : (
                    <Chance win={row.win} error={row.error ?? 0} />
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet" role="status">
        {busy ? say("thinking") : say(!exact ? "chanceHelp" : seats ? "sureHelp" : "valueHelp")}
      </p>
    </>
  );
}

const OUTCOMES: Record<string, [Word, string]> = {
  "1": ["winsAll", "+"],
  "0": ["drawsAll", "="],
  "-1": ["losesAll", "−"],
};

export function ValueMark({ outcome, bounds }: { outcome: number | undefined; bounds?: string | undefined }) {
  const say = useSay();
  const known = OUTCOMES[String(outcome)];
  if (!known) return <span class="quiet" title={bounds}>{bounds ? say("unknownValue") : "–"}</span>;
  return (
    <span class="value" data-value={outcome}>
      <span aria-hidden="true">{known[1]} </span>
      {say(known[0])}
    </span>
  );
}

function Chance({ win, error }: { win: number; error: number }) {
  // The error is that of a value from -1 to 1, twice as wide as a chance.
  const rough = (100 * error) / 2;
  return (
    <span class="chance" style={{ "--win-chance": String(win) }}>
      <span class="meter" aria-hidden="true" />
      {percent(win)}
      {rough >= 0.05 && <small> ±{rough.toFixed(1)}</small>}
    </span>
  );
}

/** A whole number in decimal, however long, as people read it. */
export function readable(digits: string, language: string): string {
  return digits.length < 16
    ? Number(digits).toLocaleString(language)
    : `${digits[0]}.${digits.slice(1, 3)}·10^${digits.length - 1}`;
}

/** Among three and more single players: what each seat is sure of, and what it gets. */
function SeatValues({ answer }: { answer: SolvePositionResponse }) {
  const say = useSay();
  return (
    <section aria-labelledby="seats-head">
      <h3 id="seats-head">{say("seatsHead")}</h3>
      <table class="moves seat-values">
        <thead>
          <tr>
            <th scope="col">{say("seatWord")}</th>
            <th scope="col">{say("sureValue")}</th>
            <th scope="col">{say("ownValue")}</th>
          </tr>
        </thead>
        <tbody>
          {answer.seats.map((each) => (
            <tr key={each.seat} data-seat-value={each.seat ?? 0}>
              <th scope="row">{each.seat ?? 0}</th>
              <td>
                <ValueMark
                  outcome={each.guaranteed}
                  bounds={`${each.guaranteedLower} … ${each.guaranteedUpper}`}
                />
              </td>
              <td>
                <ValueMark
                  outcome={each.expected}
                  bounds={`${each.expectedLower} … ${each.expectedUpper}`}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Whether longer thought could change a hint: not where every deal was looked at. */
function mayRefine(answer: RecommendMoveResponse): boolean {
  return answer.moves.length > 1 && answer.totalWorlds !== String(answer.worlds ?? 0);
}

/** A hint that gets better while somebody looks at it, for as long as he likes. */
function Refine({ refined }: { refined: Refined }) {
  const say = useSay();
  const { language } = useSettings();
  const worlds = (refined.answer?.worlds ?? 0).toLocaleString(language);
  return (
    <div class="buttons refine">
      {refined.busy ? (
        <button type="button" onClick={refined.stop}>
          {say("refineStop")}
        </button>
      ) : (
        !refined.done && (
          <button type="button" onClick={refined.start}>
            {say("refine")}
          </button>
        )
      )}
      {refined.answer && (
        <span class="quiet" data-refined={refined.answer.worlds}>
          {say(refined.busy ? "refining" : "refined", worlds)}
        </span>
      )}
      {refined.error && <Failure error={refined.error} />}
    </div>
  );
}

/** From what one seat has seen into a deal that fits it, to play on in. */
function PlayOn({ table, rules, seat }: { table: TablePosition; rules: TableRules | undefined; seat: number }) {
  const say = useSay();
  const [faults, setFaults] = useState<DescribePositionResponse["faults"]>([]);
  const [error, setError] = useState<BuraError | null>(null);
  if (!rules) return null;
  async function playOn(deck: readonly string[]): Promise<void> {
    setError(null);
    try {
      const dealt = await bura.table.describePosition({
        source: { case: "table", value: filled(table, deck) },
      });
      setFaults(dealt.faults);
      if (!dealt.faults.length) go("table", { p: dealt.position, s: seat });
    } catch (failure) {
      setError(BuraError.of(failure));
    }
  }
  return (
    <div>
      <p class="quiet">{say("cannotPlay")}</p>
      <button type="button" onClick={() => void playOn(rules.deck)}>
        {say("playOn")}
      </button>
      <p class="quiet">{say("playOnHelp")}</p>
      <Faults faults={faults} />
      {error && <Failure error={error} />}
    </div>
  );
}

function Hint({ answer, children }: { answer: RecommendMoveResponse; children?: ComponentChildren }) {
  const say = useSay();
  const { language } = useSettings();
  const best = answer.moves.find((move) => move.move === answer.best[0]);
  const worlds = answer.worlds ?? 0;
  if (!answer.best[0]) return null;
  const total = readable(answer.totalWorlds, language);
  return (
    <div class="hint" data-hint={answer.best[0]}>
      <h3>{say("hint")}</h3>
      {/* A mixed strategy tells itself what to play. */}
      {best && !answer.equilibrium && (
        <p>
          {say(
            "hintText",
            moveText(say, language, answer.best[0]),
            Math.round((best.win ?? 0) * worlds).toLocaleString(language),
            worlds.toLocaleString(language),
          )}
        </p>
      )}
      <p class="quiet">
        {answer.method === Method.ENUMERATED || answer.totalWorlds === String(worlds)
          ? say("enumerated", total)
          : say("sampled", worlds.toLocaleString(language), total)}
        {answer.horizon !== undefined && ` · ${say("horizon", answer.horizon)}`}
      </p>
      <ClaimNote answer={answer} say={say} />
      {children}
    </div>
  );
}

function ClaimNote({ answer, say }: { answer: RecommendMoveResponse; say: Say }) {
  const claim = answer.claim;
  if (!claim) return null;
  const count =
    claim.minimum === claim.maximum
      ? String(claim.minimum ?? 0)
      : say("between", claim.minimum ?? 0, claim.maximum ?? 0);
  return (
    <p data-claim={claim.chance?.value}>
      {say("claimPoints", count, claim.target ?? 0)}{" "}
      {claim.allowed &&
        (claim.verdict === Verdict.SURE
          ? say("claimSure")
          : claim.verdict === Verdict.IMPOSSIBLE
            ? say("claimNever")
            : say("claimText", percent(claim.chance?.value ?? 0)))}
    </p>
  );
}

interface ActionsProps {
  told: DescribePositionResponse;
  chosen: ReadonlySet<string>;
  play: (move: string) => void;
}

/** What can be done with the cards that are chosen, and what needs none. */
export function Actions({ told, chosen, play }: ActionsProps) {
  const say = useSay();
  const words = told.moves.filter((move) => !move.cards.length);
  const fitting = told.moves.filter(
    (move) =>
      move.cards.length === chosen.size &&
      chosen.size > 0 &&
      move.seat === told.actor &&
      move.cards.every((card) => chosen.has(card)),
  );
  const label = (move: TableMove): string => {
    if (move.kind === "play") {
      const answers = (told.table?.plays.length ?? 0) > 0;
      return say(!answers ? "lead" : told.rules?.closedDiscards ? "beat" : "play");
    }
    return say(move.kind as Word);
  };
  return (
    <div class="actions" role="group" aria-label={say("moves")}>
      {fitting.map((move) => (
        <button type="button" class="main" key={move.move} onClick={() => play(move.move)}>
          {label(move)} <MoveText move={move.move} />
        </button>
      ))}
      {!fitting.length && (
        <button type="button" class="main" disabled>
          {say("play")}
        </button>
      )}
      {words.map((move) => (
        <button type="button" key={`${move.seat}${move.move}`} onClick={() => play(move.move)}>
          <MoveText move={move.move} />
        </button>
      ))}
      <span class="quiet">{say("select")}</span>
    </div>
  );
}

/** How a hand ended, such as `0 claim`, in words. */
export function resultText(say: Say, result: string): string {
  const [, winner = "", reason = ""] = /^(\d|-) (\w+)$/.exec(result) ?? [];
  if (!reason) return result;
  const who = winner === "-" ? say("nobodyWins") : say("wins", winner);
  return `${who}, ${say(`reason_${reason}` as Word)}`;
}

export function ResultBox({ told }: { told: DescribePositionResponse }) {
  const say = useSay();
  const result = told.result;
  if (!result) return null;
  const piles = told.piles.map((pile) => pileCount(say, pile)).join(" : ");
  return (
    <div class="result" role="status">
      <h2>{say("over")}</h2>
      <p>
        {result.winner === undefined ? say("nobodyWins") : say("wins", result.winner)},{" "}
        {say(`reason_${result.reason}` as Word)} · {piles}
      </p>
    </div>
  );
}

interface EyesProps {
  eyes: number | undefined;
  seats: number;
  known: boolean;
  onChange: (seat: number | null) => void;
}

/** Whose eyes: only where all cards are known is there a choice. */
function Eyes({ eyes, seats, known, onChange }: EyesProps) {
  const say = useSay();
  if (!known) return null;
  return (
    <label class="eyes">
      {say("eyes")}{" "}
      <select
        value={eyes ?? ""}
        onChange={(event) => onChange(wholeNumber(event.currentTarget.value) ?? null)}
      >
        <option value="">{say("eyesAll")}</option>
        {Array.from({ length: seats }, (_, seat) => (
          <option key={seat} value={seat}>
            {say("eyesSeat", seat)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface HistoryProps {
  hand: DescribePositionResponse;
  at: number;
  to: (at: number) => void;
  label: (move: string) => string;
}

function History({ hand, at, to }: HistoryProps) {
  const say = useSay();
  return (
    <section aria-labelledby="history-head">
      <h2 id="history-head">{say("played")}</h2>
      <ol class="history">
        {hand.steps.map((step, number) => (
          <li key={number}>
            <button
              type="button"
              aria-current={at === number + 1 ? "step" : undefined}
              onClick={() => to(number + 1)}
            >
              <span class="number">{step.trick === undefined ? "" : `${step.trick}.`}</span>
              <span class="who">{step.seat}</span> <MoveText move={step.move} />
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
