// A mixed strategy, so that a player understands it.

import type { ComponentChildren } from "preact";

import type { Equilibrium, EquilibriumMove } from "../src/index.js";
import { MoveText } from "./cards.js";
import { useSay, useSettings } from "./context.js";
import type { Say } from "./context.js";
import { percent } from "./parts.js";

// What is played less often than this is no part of a mixed strategy.
const PLAYED = 0.01;
// Of a stake: what the gap of the solution leaves open counts for nothing.
const AS_GOOD = 0.005;

export function signed(value: number): string {
  const text = value.toFixed(2);
  if (Number(text) === 0) return "0.00";
  return value > 0 ? `+${text}` : text.replace("-", "−");
}

export function Policy({ found }: { found: Equilibrium }) {
  const say = useSay();
  const { language } = useSettings();
  const always = found.moves.some((move) => move.always !== undefined);
  return (
    <section class="policy" aria-labelledby="policy-head">
      <h3 id="policy-head">{say("policy")}</h3>
      <table class="moves">
        <thead>
          <tr>
            <th scope="col">{say("move")}</th>
            <th scope="col">{say("howOften")}</th>
            <th scope="col">{say("worth")}</th>
            {always && <th scope="col">{say("always")}</th>}
          </tr>
        </thead>
        <tbody>
          {found.moves.map((move) => (
            <tr key={move.move} data-policy={move.move}>
              <td>
                <MoveText move={move.move} />
              </td>
              <td class="chance" style={{ "--win-chance": String(move.probability ?? 0) }}>
                <span class="meter often" aria-hidden="true" />
                {percent(move.probability ?? 0)}
              </td>
              <td>{signed(move.value ?? 0)}</td>
              {always && <td>{move.always === undefined ? "" : signed(move.always)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        {say("policyWorth", (found.jointDeals ?? 0).toLocaleString(language), signed(found.value ?? 0))}{" "}
        <Why found={found} say={say} />
      </p>
      {found.raises !== undefined && <p class="quiet">{say("policyRaises", found.raises)}</p>}
    </section>
  );
}

/** Why these moves are mixed, or why they need not be. */
function Why({ found, say }: { found: Equilibrium; say: Say }) {
  const played = found.moves.filter((move) => (move.probability ?? 0) >= PLAYED);
  const [first] = found.moves;
  if (!first) return null;
  if (played.length < 2) return <WithMove text={say("policyPure", "{0}")} moves={[first]} or="" />;
  const free = played.filter(
    (move) => move.always !== undefined && move.always > (found.value ?? 0) - AS_GOOD,
  );
  if (free.length) {
    return <WithMove text={say("policyFree", "{0}")} moves={free} or={say("orWord")} />;
  }
  return (
    <>
      {say("policyMix")}{" "}
      {played.map(
        (move) =>
          move.always !== undefined && (
            <span key={move.move}>
              <WithMove text={say("policyCost", "{0}", signed(move.always))} moves={[move]} or="" />{" "}
            </span>
          ),
      )}
    </>
  );
}

/** A sentence with moves in it, drawn as moves. */
function WithMove({ text, moves, or }: { text: string; moves: readonly EquilibriumMove[]; or: string }) {
  const [before = "", after = ""] = text.split("{0}", 2);
  const parts: ComponentChildren[] = moves.map((move, at) => (
    <span key={move.move}>
      {at > 0 && ` ${or} `}
      <MoveText move={move.move} />
    </span>
  ));
  return (
    <>
      {before}
      {parts}
      {after}
    </>
  );
}
