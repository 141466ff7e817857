// The service that this page comes from, and how answers get into components.

import { create } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { useEffect, useState } from "preact/hooks";

import { BuraError, connectBura } from "../src/index.js";
import type { DescribePositionResponse, RecommendMoveResponse } from "../src/index.js";

export const bura = connectBura({ baseUrl: new URL(".", location.href).href.replace(/\/$/, "") });

// What a person waits for a value before he would rather see what is proved by then.
const PATIENCE_SECONDS = 8n;
export const LIMITS = { maxTime: create(DurationSchema, { seconds: PATIENCE_SECONDS }) };

/** What became of a question: its answer, its failure, or neither yet. */
export interface Asked<T> {
  readonly answer?: T;
  readonly error?: BuraError;
  readonly busy: boolean;
}

/**
 * The answer to a question, asked anew whenever `key` changes; null asks nothing. What was asked
 * before is given up. The last answer stays until the next is there, unless `fresh` is set.
 */
export function useAsked<T>(
  key: string | null,
  ask: (signal: AbortSignal) => Promise<T>,
  fresh = false,
): Asked<T> & { again: () => void } {
  const [tries, setTries] = useState(0);
  const [state, setState] = useState<Asked<T> & { key: string | null }>({ busy: false, key: null });
  useEffect(() => {
    if (key === null) {
      setState({ busy: false, key });
      return;
    }
    const control = new AbortController();
    setState((before) =>
      fresh || before.answer === undefined
        ? { busy: true, key }
        : { answer: before.answer, busy: true, key },
    );
    ask(control.signal).then(
      (answer) => {
        if (!control.signal.aborted) setState({ answer, busy: false, key });
      },
      (error: unknown) => {
        if (!control.signal.aborted) setState({ error: BuraError.of(error), busy: false, key });
      },
    );
    return () => control.abort();
  }, [key, tries]);
  // The effect runs after this; what belongs to the question before is not the answer to this one.
  const stale = fresh && state.key !== key;
  return { ...(stale ? { busy: key !== null } : state), again: () => setTries((n) => n + 1) };
}

/** A hint that refines: the latest answer, and what starts and stops it. */
export interface Refined {
  readonly answer?: RecommendMoveResponse | undefined;
  readonly error?: BuraError | undefined;
  readonly busy: boolean;
  /** Whether the last answer has come, and no better one will. */
  readonly done: boolean;
  start(): void;
  stop(): void;
}

/** What is worth waiting for, for somebody who has asked for it; he may stop at any time. */
const LONGEST = { maxTime: create(DurationSchema, { seconds: 60n }) };

/** A hint that gets better as long as it is let; another `key` is another question. */
export function useRefined(
  key: string | null,
  question: { position: string; seat?: number },
): Refined {
  const none = { busy: false, done: false, key };
  const [state, setState] = useState<
    Omit<Refined, "start" | "stop"> & { key: string | null }
  >(none);
  const [control, setControl] = useState<AbortController | null>(null);
  useEffect(() => () => control?.abort(), [control, key]);

  async function run(signal: AbortSignal): Promise<void> {
    let answer: RecommendMoveResponse | undefined;
    try {
      const answers = bura.advisor.recommendMoveStream(
        { question: { ...question, limits: LONGEST } },
        { signal },
      );
      for await (const next of answers) {
        if (signal.aborted) return;
        answer = next.recommendation;
        const done = next.final ?? false;
        setState({ answer, busy: !done, done, key });
      }
    } catch (error) {
      if (!signal.aborted) {
        setState({ answer, error: BuraError.of(error), busy: false, done: false, key });
      }
    }
  }

  return {
    ...(state.key === key ? state : none),
    start() {
      const next = new AbortController();
      setControl(next);
      setState({ busy: true, done: false, key });
      void run(next.signal);
    },
    stop() {
      control?.abort();
      setState((before) => ({ ...before, busy: false }));
    },
  };
}

const described = new Map<string, Promise<DescribePositionResponse>>();

/** A position after moves, as a seat sees it or as it is told. The same question is asked once. */
export function describe(
  position: string,
  moves: readonly string[] = [],
  seat?: number,
): Promise<DescribePositionResponse> {
  const key = JSON.stringify([position, moves, seat ?? null]);
  let answer = described.get(key);
  if (!answer) {
    answer = bura.table.describePosition({
      source: { case: "position", value: position },
      moves: [...moves],
      ...(seat === undefined ? {} : { seat }),
    });
    if (described.size > 500) described.clear();
    described.set(key, answer);
    answer.catch(() => described.delete(key));
  }
  return answer;
}
