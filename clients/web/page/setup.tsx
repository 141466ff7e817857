// Setting up a position card by card. What is possible is for the service to say, at each change.

import { clone, create, fromJsonString, toJsonString } from "@bufbuild/protobuf";
import { useEffect, useMemo, useState } from "preact/hooks";

import { CardListSchema, PileCardSchema, TablePlaySchema, TablePositionSchema } from "../src/index.js";
import type { TablePosition, TableRules } from "../src/index.js";
import { Card, UNKNOWN, cardName, suitName, suitSign } from "./cards.js";
import { useSay } from "./context.js";
import type { Say } from "./context.js";
import { RulesField, dealt } from "./deal.js";
import { Failure, Faults, PasteBox } from "./parts.js";
import { go, href, packed, unpacked } from "./route.js";
import { bura, describe, useAsked } from "./service.js";

/** Where a card may lie. */
interface Place {
  kind: "hand" | "talon" | "pile" | "closed" | "table" | "tableClosed";
  seat: number;
}

const START = "georgian3";

/** The state is in the address: the line where it is one (`p`), else the parts (`t`). */
export function SetupScreen({ params }: { params: URLSearchParams }) {
  const say = useSay();
  const line = params.get("p");
  const parts = params.get("t");
  const loaded = useAsked(`${line} ${parts}`, async () => {
    if (parts) {
      const json = await unpacked(parts);
      try {
        if (json) return { table: fromJsonString(TablePositionSchema, json), faults: [], line };
      } catch {
        // Damaged on the way: an empty table instead.
      }
    }
    if (line) {
      const told = await describe(line);
      if (told.table) return { table: told.table, faults: [], line };
      return { table: null, faults: told.faults, line };
    }
    return { table: empty(START, 2), faults: [], line };
  });
  if (loaded.error) return <Failure error={loaded.error} again={loaded.again} />;
  if (!loaded.answer) return <p role="status">{say("thinking")}</p>;
  const { table, faults } = loaded.answer;
  return (
    <>
      <h2>{say("setupTitle")}</h2>
      {table ? (
        <Editor table={table} />
      ) : (
        <>
          <Faults faults={faults} />
          <Editor table={empty(START, 2)} />
        </>
      )}
      <PasteBox />
    </>
  );
}

function empty(rules: string, players: number): TablePosition {
  const seats = Array.from({ length: players });
  return create(TablePositionSchema, {
    rules,
    trump: "h",
    hands: seats.map(() => ({})),
    talon: {},
    piles: seats.map(() => ({})),
    turn: 0,
  });
}

function Editor({ table: loaded }: { table: TablePosition }) {
  const say = useSay();
  const [table, setTable] = useState(loaded);
  const [chosen, setChosen] = useState<Place>({ kind: "hand", seat: 0 });
  const json = toJsonString(TablePositionSchema, table);
  const asked = useAsked(json, (signal) =>
    bura.table.describePosition({ source: { case: "table", value: table } }, { signal }),
  );
  const told = asked.answer;
  const rules = told?.rules;
  const good = told !== undefined && !told.faults.length && !asked.busy;

  // The address follows what is set up, without a step of "back" for each card.
  useEffect(() => {
    if (!told || asked.busy) return;
    let current = true;
    if (!told.faults.length) go("setup", { p: told.position }, true);
    else void packed(json).then((t) => current && go("setup", { t }, true));
    return () => {
      current = false;
    };
  }, [told, asked.busy]);

  // Other rules may have other seats.
  useEffect(() => {
    const players = rules?.players;
    if (players === undefined || asked.busy) return;
    if (table.hands.length === players && table.piles.length === players) return;
    change((next) => {
      next.hands = Array.from({ length: players }, (_, at) => next.hands[at] ?? create(CardListSchema));
      next.piles = Array.from({ length: players }, (_, at) => next.piles[at] ?? pile());
      next.plays = next.plays.filter((play) => (play.seat ?? 0) < players);
    });
  }, [rules?.players, asked.busy]);

  function change(edit: (next: TablePosition) => void): void {
    const next = clone(TablePositionSchema, table);
    edit(next);
    setTable(next);
  }

  const where = useMemo(() => placesOf(table), [json]);

  function click(card: string): void {
    const lies = where.get(card);
    change((next) => {
      take(next, card);
      if (!lies || !same(lies, chosen)) put(next, card, chosen, rules);
    });
  }

  const seats = table.hands.map((_, seat) => seat);
  const places: Place[] = [
    ...seats.map((seat): Place => ({ kind: "hand", seat })),
    { kind: "talon", seat: 0 },
    ...seats.flatMap((seat): Place[] => [
      { kind: "pile", seat },
      ...(rules?.closedDiscards === false ? [] : [{ kind: "closed", seat } as const]),
    ]),
    ...seats.flatMap((seat): Place[] => [
      { kind: "table", seat },
      ...(rules?.closedDiscards === false ? [] : [{ kind: "tableClosed", seat } as const]),
    ]),
  ];

  return (
    <div class="setup">
      <div class="fields">
        <RulesField value={table.rules} onChange={(text) => change((next) => void (next.rules = text))} />
        <label>
          {say("trump")}{" "}
          <select
            value={table.trump}
            onChange={(event) => {
              const trump = event.currentTarget.value;
              change((next) => void (next.trump = trump));
            }}
          >
            {["s", "h", "d", "c"].map((suit) => (
              <option key={suit} value={suit}>
                {suitSign(suit)} {suitName(say, suit)}
              </option>
            ))}
            <option value="-">{say("noTrump")}</option>
          </select>
        </label>
        <label>
          {say("turn")}{" "}
          <select
            value={table.turn ?? 0}
            onChange={(event) => {
              const turn = Number(event.currentTarget.value);
              change((next) => {
                next.turn = turn;
                if (next.options["claim"] !== undefined) next.options["claim"] = String(turn);
              });
            }}
          >
            {seats.map((seat) => (
              <option key={seat} value={seat}>
                {say("seat", seat)}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={table.options["claim"] !== undefined}
            onChange={(event) => {
              const on = event.currentTarget.checked;
              change((next) => {
                if (on) next.options["claim"] = String(next.turn ?? 0);
                else delete next.options["claim"];
              });
            }}
          />{" "}
          {say("mayClaimBox")}
        </label>
        <OptionsField table={table} change={change} />
      </div>

      <p class="quiet" id="setup-help">
        {say("setupHelp")}
      </p>
      <div class="places" role="radiogroup" aria-label={say("place")}>
        {places.map((place) => (
          <PlaceBox
            key={`${place.kind}${place.seat}`}
            {...{ place, table, change }}
            chosen={same(place, chosen)}
            choose={() => setChosen(place)}
          />
        ))}
      </div>

      <div class="deck-grid" role="group" aria-describedby="setup-help" aria-label={placeName(say, chosen)}>
        {(rules?.deck ?? []).map((card) => {
          const lies = where.get(card);
          const label = `${cardName(say, card)}: ${lies ? placeName(say, lies) : say("placeNone")}`;
          return (
            <span key={card} class={lies ? "placed" : ""}>
              <Card
                card={card}
                chosen={lies !== undefined && same(lies, chosen)}
                label={label}
                onClick={() => click(card)}
              />
              <small aria-hidden="true">{lies ? shortName(lies) : ""}</small>
            </span>
          );
        })}
      </div>

      <div class="buttons">
        <button type="button" disabled={!rules} onClick={() => rules && setTable(dealt(rules))}>
          {say("deal")}
        </button>
        <button
          type="button"
          disabled={!rules}
          onClick={() =>
            change((next) => {
              const rest = (rules?.deck ?? []).filter((card) => !where.has(card));
              next.talon = create(CardListSchema, {
                cards: [...rest, ...(next.talon?.cards ?? [])],
              });
            })
          }
        >
          {say("restToTalon")}
        </button>
        <button
          type="button"
          disabled={!rules}
          onClick={() => change((next) => rules && hideRest(next, rules))}
        >
          {say("restUnknown")}
        </button>
        <button
          type="button"
          onClick={() => setTable({ ...empty(table.rules, seats.length), trump: table.trump })}
        >
          {say("clear")}
        </button>
        {good ? (
          <a class="button main" href={href("table", { p: told.position })}>
            {say("useIt")}
          </a>
        ) : (
          <button type="button" class="main" disabled>
            {say("useIt")}
          </button>
        )}
      </div>
      {told && (
        <p>
          {say("line")}: <code class="line">{told.position}</code>
        </p>
      )}
      {asked.error && <Failure error={asked.error} again={asked.again} />}
      {told && told.faults.length > 0 && <Faults faults={told.faults} />}
      {good && (
        <p role="status" class="good">
          {say("setupGood")}
        </p>
      )}
    </div>
  );
}

type Change = (edit: (next: TablePosition) => void) => void;

/** Options beyond the claim, as they are written in a line. */
function OptionsField({ table, change }: { table: TablePosition; change: Change }) {
  const say = useSay();
  // What is being typed: an answer that comes meanwhile must not write over it.
  const [draft, setDraft] = useState<string | null>(null);
  const text = Object.entries(table.options)
    .filter(([name]) => name !== "claim")
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(" ");
  return (
    <label>
      {say("moreOptions")}{" "}
      <input
        value={draft ?? text}
        placeholder={say("optionsHelp")}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => setDraft(event.currentTarget.value)}
        onChange={(event) => {
          setDraft(null);
          const words = event.currentTarget.value.split(/\s+/).filter(Boolean);
          change((next) => {
            const claim = next.options["claim"];
            next.options = Object.fromEntries(
              words.map((word): [string, string] => {
                const [name = "", ...value] = word.split("=");
                return [name, value.join("=")];
              }),
            );
            if (claim !== undefined) next.options["claim"] = claim;
          });
        }}
      />
    </label>
  );
}

interface PlaceBoxProps {
  place: Place;
  table: TablePosition;
  change: Change;
  chosen: boolean;
  choose: () => void;
}

function PlaceBox({ place, table, change, chosen, choose }: PlaceBoxProps) {
  const say = useSay();
  const cards = cardsAt(table, place);
  const unknown = cards.filter((card) => card === UNKNOWN).length;
  const mayHide = place.kind !== "pile" && place.kind !== "table";
  const name = placeName(say, place);
  const points = table.piles[place.seat]?.points;
  return (
    <div class={chosen ? "place is-chosen" : "place"} data-place={`${place.kind}${place.seat}`}>
      <button type="button" role="radio" aria-checked={chosen} onClick={choose}>
        {name}
      </button>
      <span class="small-cards">
        {cards
          .filter((card) => card !== UNKNOWN)
          .map((card) => (
            <Card key={card} card={card} small closed={place.kind === "closed"} />
          ))}
      </span>
      {mayHide && (
        <span class="stepper">
          <button
            type="button"
            aria-label={say("fewer", name)}
            disabled={!unknown}
            onClick={() => change((next) => removeUnknown(next, place))}
          >
            −
          </button>
          <span>
            {say("unknownCards")}: {unknown}
          </span>
          <button
            type="button"
            aria-label={say("more", name)}
            onClick={() => change((next) => putUnknown(next, place))}
          >
            +
          </button>
        </span>
      )}
      {place.kind === "pile" && (
        <label class="points">
          {say("pointsOnly")}{" "}
          <input
            type="number"
            min={0}
            max={120}
            value={points ?? ""}
            onChange={(event) => {
              const text = event.currentTarget.value;
              change((next) => {
                const target = next.piles[place.seat];
                if (!target) return;
                if (text === "") delete target.points;
                else target.points = Math.max(0, Math.min(120, Math.trunc(Number(text))));
              });
            }}
          />
        </label>
      )}
    </div>
  );
}

function same(a: Place, b: Place): boolean {
  return a.kind === b.kind && a.seat === b.seat;
}

function placeName(say: Say, { kind, seat }: Place): string {
  switch (kind) {
    case "hand":
      return say("placeHand", seat);
    case "talon":
      return say("placeTalon");
    case "pile":
      return say("placePile", seat);
    case "closed":
      return say("placePileClosed", seat);
    case "table":
      return say("placeTable", seat);
    case "tableClosed":
      return say("placeTableClosed", seat);
  }
}

function shortName({ kind, seat }: Place): string {
  const sign = { hand: "▲", talon: "▤", pile: "▣", closed: "▢", table: "◉", tableClosed: "◎" }[kind];
  return kind === "talon" ? sign : `${sign}${seat}`;
}

function pile() {
  return create(TablePositionSchema, { piles: [{}] }).piles[0]!;
}

function cardsAt(table: TablePosition, { kind, seat }: Place): string[] {
  switch (kind) {
    case "hand":
      return table.hands[seat]?.cards ?? [];
    case "talon":
      return table.talon?.cards ?? [];
    case "pile":
    case "closed":
      return (table.piles[seat]?.cards ?? [])
        .filter((card) => (card.closed ?? false) === (kind === "closed"))
        .map((card) => card.card);
    case "table":
    case "tableClosed":
      return table.plays
        .filter((play) => play.seat === seat && (play.closed ?? false) === (kind === "tableClosed"))
        .flatMap((play) => play.cards);
  }
}

/** Where each known card lies. */
function placesOf(table: TablePosition): Map<string, Place> {
  const found = new Map<string, Place>();
  const note = (place: Place) => {
    for (const card of cardsAt(table, place)) if (card !== UNKNOWN) found.set(card, place);
  };
  table.hands.forEach((_, seat) => {
    for (const kind of ["hand", "pile", "closed", "table", "tableClosed"] as const) note({ kind, seat });
  });
  note({ kind: "talon", seat: 0 });
  return found;
}

function take(table: TablePosition, card: string): void {
  const without = (cards: string[]) => cards.filter((other) => other !== card);
  for (const hand of table.hands) hand.cards = without(hand.cards);
  if (table.talon) table.talon.cards = without(table.talon.cards);
  for (const each of table.piles) each.cards = each.cards.filter((other) => other.card !== card);
  for (const play of table.plays) play.cards = without(play.cards);
  table.plays = table.plays.filter((play) => play.cards.length);
}

function put(table: TablePosition, card: string, place: Place, rules?: TableRules): void {
  const { kind, seat } = place;
  if (kind === "hand") table.hands[seat]?.cards.push(card);
  else if (kind === "talon") {
    table.talon ??= create(CardListSchema);
    table.talon.cards.push(card);
    // The last card of the talon is the turned trump.
    if (rules?.trumps && card !== UNKNOWN) table.trump = card.slice(-1);
  } else if (kind === "pile" || kind === "closed") {
    const target = table.piles[seat];
    if (!target) return;
    delete target.points;
    target.cards.push(create(PileCardSchema, { card, closed: kind === "closed" }));
  } else {
    const closed = kind === "tableClosed";
    const play = table.plays.find((each) => each.seat === seat);
    if (play) {
      play.closed = closed;
      play.cards.push(card);
    } else table.plays.push(create(TablePlaySchema, { seat, closed, cards: [card] }));
  }
}

function putUnknown(table: TablePosition, place: Place): void {
  if (place.kind === "talon") {
    // What is not known lies above the turned trump.
    table.talon ??= create(CardListSchema);
    table.talon.cards.unshift(UNKNOWN);
  } else put(table, UNKNOWN, place);
}

function removeUnknown(table: TablePosition, { kind, seat }: Place): void {
  const without = (cards: string[]) => {
    const at = cards.indexOf(UNKNOWN);
    if (at >= 0) cards.splice(at, 1);
  };
  if (kind === "hand") without(table.hands[seat]?.cards ?? []);
  else if (kind === "talon") without(table.talon?.cards ?? []);
  else if (kind === "closed") {
    const cards = table.piles[seat]?.cards ?? [];
    const at = cards.findIndex((each) => each.card === UNKNOWN);
    if (at >= 0) cards.splice(at, 1);
  } else {
    for (const play of table.plays) if (play.seat === seat) without(play.cards);
    table.plays = table.plays.filter((play) => play.cards.length);
  }
}

/** Unknown cards in the other hands, and whatever is then left of the deck in the talon. */
function hideRest(table: TablePosition, rules: TableRules): void {
  const laid = (seat: number) =>
    table.plays.filter((play) => play.seat === seat).reduce((sum, play) => sum + play.cards.length, 0);
  const most = Math.max(...table.hands.map((hand, seat) => hand.cards.length + laid(seat)));
  table.hands.forEach((hand, seat) => {
    while (hand.cards.length + laid(seat) < most) hand.cards.push(UNKNOWN);
  });
  const count =
    table.hands.reduce((sum, hand, seat) => sum + hand.cards.length + laid(seat), 0) +
    table.piles.reduce((sum, each) => sum + each.cards.length, 0) +
    (table.talon?.cards.length ?? 0);
  table.talon ??= create(CardListSchema);
  for (let left = rules.deck.length - count; left > 0; left--) table.talon.cards.unshift(UNKNOWN);
}
