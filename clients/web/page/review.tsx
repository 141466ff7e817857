// A finished hand, move by move, with what each move cost.

import { useMemo, useState } from "preact/hooks";

import { Objective } from "../src/index.js";
import type { ReplayRecordResponse, ReviewedMove, SolvePositionsResponse } from "../src/index.js";
import { MoveText, moveText } from "./cards.js";
import { useSay, useSettings } from "./context.js";
import { useKeys, walkKey } from "./keys.js";
import { Failure, Faults, Share, Walk, percent } from "./parts.js";
import { firstKnown, resultText, wholeNumber } from "./play.js";
import { go, href, packed, unpacked } from "./route.js";
import { LIMITS, bura, describe, useAsked } from "./service.js";
import { Table } from "./table.js";

const EXAMPLE = `[Rules "georgian3"]
[Trump "h"]
[TurnUp "Jh"]
[Seat "all"]
[Players "Nino/Gia"]
[Lead "0"]
[Hands "AsQhTd/KsJsAd"]
[Undrawn "QdQcJdJcKcTsAhJh"]
[Result "0 claim"]
[Points "34/21"]

1. 0:As 1:(Js) 0+Ac 1+Th
2. 0:Td 1:Ad 1+Tc 0+Kd {the ace of trumps would have cost more}
3. 1:Tc 0:Ac 0+Kh 1+Qs
4. 0:claim
`;

export function ReviewScreen({ params }: { params: URLSearchParams }) {
  const say = useSay();
  const code = params.get("r");
  const text = useAsked(code, () => unpacked(code ?? ""), true);
  const record = text.answer ?? null;
  return (
    <>
      <h2>{say("reviewTitle")}</h2>
      {code && text.busy && <p role="status">{say("thinking")}</p>}
      {record && <Review record={record} code={code ?? ""} at={wholeNumber(params.get("n"))} />}
      <RecordBox key={record ?? ""} start={record ?? ""} open={!record} />
    </>
  );
}

function RecordBox({ start, open }: { start: string; open: boolean }) {
  const say = useSay();
  const [text, setText] = useState(start);
  const form = (
    <form
      class="paste"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) void packed(text.trim()).then((r) => go("review", { r }));
      }}
    >
      <label for="record">{say("record")}</label>
      <textarea
        id="record"
        rows={10}
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="buttons">
        <button type="submit" class="main">
          {say("reviewButton")}
        </button>
        <button type="button" onClick={() => setText(EXAMPLE)}>
          {say("exampleRecord")}
        </button>
        <label class="button file">
          {say("chooseFile")}
          <input
            type="file"
            accept=".bura,.txt,text/plain"
            onChange={(event) => {
              void event.currentTarget.files?.[0]?.text().then(setText);
            }}
          />
        </label>
      </div>
      <p class="quiet">{say("reviewHelp")}</p>
    </form>
  );
  if (open) return form;
  return (
    <details>
      <summary>{say("record")}</summary>
      {form}
    </details>
  );
}

function Review({ record, code, at: wanted }: { record: string; code: string; at: number | undefined }) {
  const say = useSay();
  const { language } = useSettings();
  const checked = useAsked(`check ${record}`, () =>
    bura.rules.checkRecord({ source: { case: "text", value: record } }),
  );
  const valid = checked.answer?.valid ?? false;
  const replayed = useAsked(valid ? `replay ${record}` : null, () =>
    bura.table.replayRecord({ source: { case: "text", value: record } }),
  );
  const hand = replayed.answer;
  const owner = checked.answer?.record?.seat;
  const allSeats = owner === "all";
  const told = allSeats && checked.answer?.record?.undrawn !== undefined;
  const drawnOut = allSeats && hand !== undefined && !hand.position.split(" ")[3]?.includes("x");
  const judged = useAsked(valid && (told || drawnOut) ? `review ${record}` : null, (signal) =>
    bura.solver.reviewHand({ source: { case: "text", value: record } }, { signal }),
  );
  const points = useAsked(judged.answer ? `points ${record}` : null, (signal) =>
    bura.solver.solvePositions(
      {
        positions: judged.answer?.moves.map((move) => move.position) ?? [],
        objective: Objective.POINTS,
        valueOnly: true,
        limits: { maxNodes: 2_000_000n },
      },
      { signal },
    ),
  );
  const last = hand?.steps.length ?? 0;
  const at = Math.min(last, wanted ?? last);
  const to = (n: number) => go("review", { r: code, n: n === last ? null : n });
  useKeys((key) => {
    const target = walkKey(key, at, last);
    if (target !== null) to(target);
    return target !== null;
  });
  const costs = useMemo(() => byStep(hand, judged.answer?.moves ?? []), [hand, judged.answer]);
  const costly = costs.flatMap((move, step) => ((move?.cost ?? 0) > 0 ? [step] : []));

  const line = at < last ? hand?.steps[at]?.position : hand?.position;
  const shown = useAsked(line ?? null, () => describe(line ?? ""));
  const table = shown.answer?.table;

  if (checked.error) return <Failure error={checked.error} again={checked.again} />;
  if (checked.answer && !valid) return <Faults faults={checked.answer.faults} />;
  if (replayed.error) return <Failure error={replayed.error} again={replayed.again} />;
  if (!hand) return <p role="status">{say("thinking")}</p>;

  return (
    <div class="columns">
      <div class="main-column">
        {hand.players.length > 0 && <p>{hand.players.join(" – ")}</p>}
        {shown.answer && table && <Table told={shown.answer} table={table} bottom={firstKnown(shown.answer)} />}
        <div class="bar">
          <Walk at={at} last={last} to={to} />
          {costly.length > 0 && (
            <button
              type="button"
              onClick={() => to((costly.find((step) => step > at) ?? costly[0] ?? 0))}
            >
              {say("nextMistake")}
            </button>
          )}
          {line && (
            <a class="button" href={href("table", { p: line })}>
              {say("explore")}
            </a>
          )}
        </div>
        {hand.comments[at] && <blockquote>{hand.comments[at]}</blockquote>}
        {judged.answer && (
          <Curve hand={hand} moves={costs} points={points.answer} at={at} to={to} />
        )}
        <Share line={line ?? ""} record={hand.text} />
      </div>
      <div class="side-column">
        <p role="status" class="summary">
          {judged.busy && say("reviewing")}
          {judged.answer &&
            (costly.length === 0
              ? say("noMistakes")
              : costly.length === 1
                ? say("oneMistake")
                : say("mistakes", costly.length))}
          {!allSeats && say("oneSeatRecord", owner ?? "")}
          {allSeats && !judged.busy && !judged.answer && !judged.error && say("cardsHidden")}
        </p>
        {judged.error && <Failure error={judged.error} again={judged.again} />}
        <ol class="history review">
          {hand.steps.map((step, number) => {
            const move = costs[number];
            const cost = move?.cost ?? 0;
            return (
              <li key={number} data-cost={cost || undefined}>
                <button
                  type="button"
                  aria-current={at === number ? "step" : undefined}
                  onClick={() => to(number)}
                >
                  <span class="number">{step.trick === undefined ? "" : `${step.trick}.`}</span>
                  <span class="who">{step.seat}</span> <MoveText move={step.move} />
                  {move && <Verdict move={move} language={language} />}
                  {!allSeats && String(step.seat) === owner && <Seen position={step.position} move={step.move} />}
                </button>
              </li>
            );
          })}
          <li>
            <button type="button" aria-current={at === last ? "step" : undefined} onClick={() => to(last)}>
              {say("resultOf", resultText(say, hand.result))}
            </button>
          </li>
        </ol>
      </div>
    </div>
  );
}

/** The judged move of each step; raises and their answers are not judged. */
function byStep(hand: ReplayRecordResponse | undefined, moves: readonly ReviewedMove[]): (ReviewedMove | undefined)[] {
  const left = [...moves];
  return (hand?.steps ?? []).map((step) => {
    const next = left[0];
    const fits = next?.trick === step.trick && next?.seat === step.seat && next?.move === step.move;
    return fits ? left.shift() : undefined;
  });
}

function Verdict({ move, language }: { move: ReviewedMove; language: Parameters<typeof moveText>[1] }) {
  const say = useSay();
  const better = move.best.map((best) => moveText(say, language, best)).join(", ");
  if ((move.cost ?? 0) > 0) {
    return (
      <span class="verdict costly">
        <b aria-hidden="true">{move.cost === 2 ? "??" : "?"}</b>{" "}
        {say(move.value === -1 ? "costly" : "costlyDraw")}; {say("better", better)}
      </span>
    );
  }
  if (move.cost === undefined && move.costUpper !== 0) {
    return <span class="verdict quiet">{say("unproved")}</span>;
  }
  if (move.forced) return <span class="verdict quiet">{say("forced")}</span>;
  if ((move.pointsCost ?? 0) > 0) {
    return <span class="verdict quiet">{say("costPoints", move.pointsCost ?? 0)}</span>;
  }
  return null;
}

/** In the record of one seat: what its move was worth by what it knew. */
function Seen({ position, move }: { position: string; move: string }) {
  const asked = useAsked(position, (signal) =>
    // Averages are compared here, so they are what is asked for.
    bura.advisor.recommendMove({ position, maxWorlds: 200, maxDeals: 0, limits: LIMITS }, { signal }),
  );
  const say = useSay();
  const { language } = useSettings();
  const own = asked.answer?.moves.find((each) => each.move === move);
  const best = asked.answer?.moves[0];
  if (!own || !best) return null;
  const worse = (best.win ?? 0) - (own.win ?? 0) > 0.005;
  return (
    <span class="verdict quiet">
      {percent(own.win ?? 0)}
      {worse && `; ${say("better", `${moveText(say, language, best.move)} ${percent(best.win ?? 0)}`)}`}
    </span>
  );
}

interface CurveProps {
  hand: ReplayRecordResponse;
  moves: readonly (ReviewedMove | undefined)[];
  points: SolvePositionsResponse | undefined;
  at: number;
  to: (at: number) => void;
}

const WIDTH = 600;
const HEIGHT = 180;
const EDGE = 24;

/** What the hand is worth to seat 0 after each move, and by how many points. */
function Curve({ hand, moves, points, at, to }: CurveProps) {
  const say = useSay();
  const steps = hand.steps.length;
  const x = (step: number) => EDGE + (step * (WIDTH - 2 * EDGE)) / Math.max(1, steps);
  const y = (value: number) => HEIGHT / 2 - value * (HEIGHT / 2 - EDGE);
  // Before the first move it is worth what the best one is.
  const values: (number | undefined)[] = moves.map((move) =>
    move?.bestValue === undefined ? undefined : move.seat === 0 ? move.bestValue : -move.bestValue,
  );
  const final = moves.at(-1);
  values.push(final?.value === undefined ? undefined : final.seat === 0 ? final.value : -final.value);
  for (let step = 1; step < values.length; step++) values[step] ??= values[step - 1];
  const outcome = values
    .map((value, step) => (value === undefined ? "" : `${step ? "H" : "M"}${x(step)}${step ? "V" : " "}${y(value)}`))
    .filter(Boolean)
    .join("");
  let solved = -1;
  const ahead = moves.map((move) => {
    if (!move) return undefined;
    solved += 1;
    const result = points?.results[solved]?.result;
    if (result?.case !== "solution" || result.value.points === undefined) return undefined;
    return move.seat === 0 ? result.value.points : -result.value.points;
  });
  const dots = ahead.flatMap((value, step) => (value === undefined ? [] : [{ step, value }]));
  const line = dots.map(({ step, value }, at) => `${at ? "L" : "M"}${x(step)} ${y(value / 120)}`).join("");
  const words = values.map((value) =>
    value === undefined ? "?" : say(value > 0 ? "curveWin" : value < 0 ? "curveLoss" : "curveDraw"),
  );
  return (
    <figure class="curve">
      <figcaption>{say("curve")}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={say("curveText", words.join(", "))}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const part = ((event.clientX - box.left) / box.width) * WIDTH;
          const step = Math.round(((part - EDGE) * steps) / (WIDTH - 2 * EDGE));
          to(Math.max(0, Math.min(steps, step)));
        }}
      >
        {[1, 0, -1].map((value) => (
          <line key={value} class="grid" x1={EDGE} x2={WIDTH - EDGE} y1={y(value)} y2={y(value)} />
        ))}
        <text class="mark" x={EDGE} y={y(1) - 6}>
          {say("curveWin")}
        </text>
        <text class="mark" x={EDGE} y={y(-1) + 16}>
          {say("curveLoss")}
        </text>
        {line && <path class="points-line" d={line} />}
        {dots.map(({ step, value }) => (
          <circle key={step} class="points-dot" cx={x(step)} cy={y(value / 120)} r={2.5}>
            <title>{value}</title>
          </circle>
        ))}
        <path class="outcome-line" d={outcome} />
        {moves.map((move, step) =>
          (move?.cost ?? 0) > 0 ? (
            <circle key={`c${step}`} class="costly-dot" cx={x(step + 1)} cy={y(values[step + 1] ?? 0)} r={6} />
          ) : null,
        )}
        <line class="now" x1={x(at)} x2={x(at)} y1={EDGE / 2} y2={HEIGHT - EDGE / 2} />
      </svg>
      <p class="quiet legend">
        <span class="key outcome-key" aria-hidden="true" /> {say("curve")}{" "}
        <span class="key points-key" aria-hidden="true" /> {say("curvePoints")}
      </p>
    </figure>
  );
}
