// The table: hands, talon, the running trick, piles.

import type { DescribePositionResponse, PileFacts, TablePosition } from "../src/index.js";
import { Card, UNKNOWN, suitName, suitSign } from "./cards.js";
import { useSay } from "./context.js";
import type { Say } from "./context.js";

export interface TableProps {
  told: DescribePositionResponse;
  table: TablePosition;
  /** The seat whose hand lies at the bottom. */
  bottom: number;
  /** Whose eyes, to be named "you". */
  eyes?: number | undefined;
  /** Cards that are picked from the hand of the seat to act. */
  chosen?: ReadonlySet<string> | undefined;
  onChoose?: ((card: string) => void) | undefined;
}

export function Table({ told, table, bottom, eyes, chosen, onChoose }: TableProps) {
  const say = useSay();
  const players = table.hands.length;
  const seats = Array.from({ length: players }, (_, step) => (bottom + step + 1) % players);
  return (
    <section class="table" aria-label={say("navTable")} id="the-table" tabIndex={-1}>
      <h2 class="unseen">{say("navTable")}</h2>
      {seats.slice(0, -1).map((seat) => (
        <Seat key={seat} {...{ told, table, seat, eyes, chosen, onChoose }} />
      ))}
      <div class="middle">
        <Talon table={table} />
        <Trick table={table} told={told} />
      </div>
      <Seat {...{ told, table, seat: bottom, eyes, chosen, onChoose }} />
    </section>
  );
}

interface SeatProps extends Omit<TableProps, "bottom"> {
  seat: number;
}

function Seat({ told, table, seat, eyes, chosen, onChoose }: SeatProps) {
  const say = useSay();
  const acts = told.actor === seat;
  const notes = [
    seat === eyes ? say("you") : "",
    acts ? say(seat === table.turn ? "toAct" : "toAnswer") : "",
    table.options["claim"] === String(seat) ? say("mayClaim") : "",
  ].filter(Boolean);
  const clickable = acts && onChoose !== undefined;
  return (
    <div class={acts ? "seat acts" : "seat"} data-seat={seat}>
      <h3>
        {say("seat", seat)}
        {notes.length > 0 && <span class="note"> · {notes.join(" · ")}</span>}
      </h3>
      <div class="hand" role="group" aria-label={say("hand", seat)}>
        {(table.hands[seat]?.cards ?? []).map((card, at) => (
          <Card
            key={`${at}${card}`}
            card={card}
            chosen={chosen?.has(card) ?? false}
            onClick={clickable && card !== UNKNOWN ? () => onChoose(card) : undefined}
          />
        ))}
      </div>
      <Pile seat={seat} table={table} facts={told.piles[seat]} />
    </div>
  );
}

/** What a pile counts, in words. */
export function pileCount(say: Say, facts: PileFacts | undefined): string {
  if (!facts) return "?";
  const { minimum = 0, maximum = 0 } = facts;
  return minimum === maximum ? String(minimum) : say("between", minimum, maximum);
}

function Pile({ seat, table, facts }: { seat: number; table: TablePosition; facts: PileFacts | undefined }) {
  const say = useSay();
  const cards = table.piles[seat]?.cards ?? [];
  return (
    <div class="pile" role="group" aria-label={say("pile", seat)}>
      <span class="count">
        {say("pilePoints", pileCount(say, facts))}
        {facts?.closed ? ` (${say("closedCards", facts.closed)})` : ""}
      </span>
      <span class="small-cards">
        {cards.map(({ card, closed }, at) => (
          <Card key={at} card={card} closed={closed} small />
        ))}
      </span>
    </div>
  );
}

function Talon({ table }: { table: TablePosition }) {
  const say = useSay();
  const cards = table.talon?.cards ?? [];
  const last = cards.at(-1);
  const trumps = table.trump !== "-";
  return (
    <div class="talon" role="group" aria-label={say("talon")}>
      <span class="count">{cards.length ? say("talonCount", cards.length) : say("talonEmpty")}</span>
      <span class="deck">
        {last !== undefined && trumps && last !== UNKNOWN && <Card card={last} />}
        {cards.length > 1 && <Card card={UNKNOWN} label={say("talonCount", cards.length)} />}
      </span>
      <span class={`trumps ${table.trump === "h" || table.trump === "d" ? "red" : ""}`}>
        {say("trump")}: {trumps && <span aria-hidden="true">{suitSign(table.trump)} </span>}
        <span class={trumps ? "unseen" : ""}>{suitName(say, table.trump)}</span>
      </span>
    </div>
  );
}

function Trick({ table, told }: { table: TablePosition; told: DescribePositionResponse }) {
  const say = useSay();
  return (
    <div class="trick" role="group" aria-label={say("trick")}>
      {table.plays.length === 0 && !told.result && (
        <p class="quiet">{say("noTrick", say("seat", table.turn ?? 0))}</p>
      )}
      {table.plays.map((play, at) => (
        <div key={at} class="play">
          <span class="count">{say("seat", play.seat ?? 0)}</span>
          {play.cards.map((card, number) => (
            <Card key={number} card={card} closed={play.closed} />
          ))}
        </div>
      ))}
    </div>
  );
}
