// Fresh deals. The page only shuffles: deck, hands and trumps are told by the service.

import { clone, create } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";

import { BuraError, CardListSchema, TablePositionSchema } from "../src/index.js";
import type { TablePosition, TableRules } from "../src/index.js";
import { UNKNOWN } from "./cards.js";
import { useSay } from "./context.js";
import { Failure, Faults } from "./parts.js";
import { bura, useAsked } from "./service.js";

/** A whole deal by these rules, seat 0 to lead. */
export function dealt(rules: TableRules): TablePosition {
  const cards = shuffled(rules.deck);
  const hands = rules.handSizes.map((size) => create(CardListSchema, { cards: cards.splice(0, size) }));
  return create(TablePositionSchema, {
    rules: rules.text,
    trump: rules.trumps ? (cards.at(-1) ?? "-").slice(-1) : "-",
    hands,
    talon: { cards },
    piles: rules.handSizes.map(() => ({})),
    turn: 0,
  });
}

function shuffled(cards: readonly string[]): string[] {
  const mixed = [...cards];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = below(at + 1);
    [mixed[at], mixed[other]] = [mixed[other] as string, mixed[at] as string];
  }
  return mixed;
}

/** A position with its unknown cards dealt at random, all that fit as likely. */
export function filled(table: TablePosition, deck: readonly string[]): TablePosition {
  const next = clone(TablePositionSchema, table);
  const places = [...next.hands.map((hand) => hand.cards), next.talon?.cards ?? []];
  const closed = next.piles.flatMap((pile) => pile.cards);
  const known = new Set([...places.flat(), ...closed.map(({ card }) => card)]);
  for (const play of next.plays) for (const card of play.cards) known.add(card);
  const unseen = shuffled(deck.filter((card) => !known.has(card)));
  const drawn = () => unseen.pop() ?? UNKNOWN;
  for (const cards of [...places, ...next.plays.map((play) => play.cards)]) {
    cards.forEach((card, at) => {
      if (card === UNKNOWN) cards[at] = drawn();
    });
  }
  for (const pile of closed) if (pile.card === UNKNOWN) pile.card = drawn();
  return next;
}

/** A random number from 0 to count - 1, each as likely. */
function below(count: number): number {
  const limit = 2 ** 32 - (2 ** 32 % count);
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
  return value < limit ? value % count : below(count);
}

/** The rules of a spelling, or what is wrong with it. */
export async function rulesOf(text: string) {
  return bura.table.describePosition({ source: { case: "table", value: { rules: text } } });
}

export function RulesField({ value, onChange }: { value: string; onChange: (rules: string) => void }) {
  const say = useSay();
  const known = useAsked("rule sets", () => bura.rules.listRuleSets({}));
  // What is being typed: an answer that comes meanwhile must not write over it.
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <label>
      {say("rules")}{" "}
      <input
        list="rule-sets"
        value={draft ?? value}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => setDraft(event.currentTarget.value)}
        onChange={(event) => {
          setDraft(null);
          onChange(event.currentTarget.value.trim());
        }}
      />
      <datalist id="rule-sets">
        {known.answer?.ruleSets.map((rules) => (
          <option key={rules.name} value={rules.text}>
            {rules.description}
          </option>
        ))}
      </datalist>
    </label>
  );
}

export function DealForm({ onDeal }: { onDeal: (position: string) => void }) {
  const say = useSay();
  const [rules, setRules] = useState("georgian3");
  const [trouble, setTrouble] = useState<BuraError | null>(null);
  const [faults, setFaults] = useState<Awaited<ReturnType<typeof rulesOf>>["faults"]>([]);

  async function deal(): Promise<void> {
    setTrouble(null);
    try {
      const told = await rulesOf(rules);
      if (!told.rules) {
        setFaults(told.faults.filter((fault) => fault.field.startsWith("rules")));
        return;
      }
      setFaults([]);
      const whole = await bura.table.describePosition({
        source: { case: "table", value: dealt(told.rules) },
      });
      if (whole.faults.length) setFaults(whole.faults);
      else onDeal(whole.position);
    } catch (error) {
      setTrouble(BuraError.of(error));
    }
  }

  return (
    <form
      class="deal"
      onSubmit={(event) => {
        event.preventDefault();
        void deal();
      }}
    >
      <RulesField value={rules} onChange={setRules} />
      <button type="submit" class="main">
        {say("deal")}
      </button>
      <Faults faults={faults} />
      {trouble && <Failure error={trouble} />}
    </form>
  );
}
