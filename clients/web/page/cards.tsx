// Cards and moves, as a person sees and hears them.

import { useSay, useSettings } from "./context.js";
import type { Say } from "./context.js";
import { RANKS } from "./words.js";
import type { Language, Word } from "./words.js";

// Each with the selector that asks for text, for phones would draw a coloured picture.
const SUITS: Record<string, string> = { s: "♠\uFE0E", h: "♥\uFE0E", d: "♦\uFE0E", c: "♣\uFE0E" };
const SUIT_WORDS: Record<string, Word> = {
  s: "spades",
  h: "hearts",
  d: "diamonds",
  c: "clubs",
};
export const UNKNOWN = "x";

export function isRed(card: string): boolean {
  return card.endsWith("h") || card.endsWith("d");
}

export function suitSign(suit: string): string {
  return SUITS[suit] ?? suit;
}

/** A suit by itself; behind a rank it may have another form. */
export function suitName(say: Say, suit: string): string {
  return suit in SUIT_WORDS ? say(`suit_${suit}` as Word) : say("noTrump");
}

function rankSign(language: Language, card: string): string {
  const rank = card.charAt(0);
  return RANKS[language][rank] ?? rank;
}

/** What a screen reader says of a card. */
export function cardName(say: Say, card: string): string {
  if (card === UNKNOWN) return say("hidden");
  const suit = SUIT_WORDS[card.charAt(1)];
  return suit ? say("ofWord", say(`rank_${card.charAt(0)}` as Word), say(suit)) : card;
}

export interface CardProps {
  card: string;
  small?: boolean;
  closed?: boolean | undefined;
  chosen?: boolean;
  onClick?: (() => void) | undefined;
  label?: string;
}

/** A card; a button where it can be clicked. */
export function Card({ card, small, closed, chosen, onClick, label }: CardProps) {
  const say = useSay();
  const { language } = useSettings();
  const names = ["card"];
  if (card === UNKNOWN) names.push("back");
  else if (isRed(card)) names.push("red");
  if (small) names.push("small");
  if (closed) names.push("closed");
  if (chosen) names.push("chosen");
  const spoken =
    label ?? (closed && card !== UNKNOWN ? `${cardName(say, card)}, ${say("faceDown")}` : cardName(say, card));
  const face =
    card === UNKNOWN ? null : (
      <>
        <span class="rank" aria-hidden="true">{rankSign(language, card)}</span>
        <span class="suit" aria-hidden="true">{suitSign(card.charAt(1))}</span>
      </>
    );
  if (onClick) {
    return (
      <button
        type="button"
        class={names.join(" ")}
        aria-pressed={chosen ?? false}
        data-card={card}
        onClick={onClick}
      >
        {face}
        <span class="unseen">{spoken}</span>
      </button>
    );
  }
  return (
    <span class={names.join(" ")} role="img" aria-label={spoken} data-card={card}>
      {face}
    </span>
  );
}

/** Cards in a line of text, such as 10♥ A♠. */
export function Inline({ cards }: { cards: readonly string[] }) {
  const say = useSay();
  const { language } = useSettings();
  return (
    <>
      {cards.map((card, at) => (
        <span key={at} class={isRed(card) ? "inline red" : "inline"}>
          <span aria-hidden="true">
            {card === UNKNOWN ? "?" : rankSign(language, card) + suitSign(card.charAt(1))}
          </span>
          <span class="unseen">{cardName(say, card)}, </span>
        </span>
      ))}
    </>
  );
}

const CARD = /[6-9TJQKA][shdc]|x/g;

/** The cards that a move names: enough of the notation to show it, which the service has written. */
export function cardsOf(move: string): string[] {
  const unknown = /^\(x(\d+)\)$/.exec(move);
  if (unknown) return Array<string>(Number(unknown[1])).fill(UNKNOWN);
  const cards = move.startsWith("stop:") ? move.slice(5) : move;
  return /^\(?([6-9TJQKA][shdc])+\)?$/.test(cards) ? (cards.match(CARD) ?? []) : [];
}

/** A move in words and cards. */
export function MoveText({ move }: { move: string }) {
  const say = useSay();
  const cards = cardsOf(move);
  if (!cards.length) return <>{wordOfMove(say, move)}</>;
  if (move.startsWith("(")) {
    return (
      <span class="closed-move">
        <span aria-hidden="true">(</span>
        <Inline cards={cards} />
        <span aria-hidden="true">)</span>
        <span class="unseen">{say("faceDown")}</span>
      </span>
    );
  }
  if (move.startsWith("stop:")) {
    return (
      <>
        {say("stop")} <Inline cards={cards} />
      </>
    );
  }
  return <Inline cards={cards} />;
}

/** The same as plain text. */
export function moveText(say: Say, language: Language, move: string): string {
  const cards = cardsOf(move);
  if (!cards.length) return wordOfMove(say, move);
  const shown = cards
    .map((card) => (card === UNKNOWN ? "?" : rankSign(language, card) + suitSign(card.charAt(1))))
    .join(" ");
  if (move.startsWith("(")) return `(${shown})`;
  return move.startsWith("stop:") ? `${say("stop")} ${shown}` : shown;
}

const MOVE_WORDS = new Set(["claim", "pass", "raise", "accept", "fold", "challenge"]);

function wordOfMove(say: Say, move: string): string {
  const [kind = "", seat] = move.split(":", 2);
  if (!MOVE_WORDS.has(kind)) return move;
  const word = say(kind as Word);
  return seat === undefined ? word : `${word} (${say("seat", seat)})`;
}
