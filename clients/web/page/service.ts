// The service that this page comes from, and how answers get into components.

import { create } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { useEffect, useState } from "preact/hooks";

import { BuraError, connectBura } from "../src/index.js";
import type { DescribePositionResponse } from "../src/index.js";

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
