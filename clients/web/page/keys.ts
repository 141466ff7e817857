// Keys that work wherever the focus is, but for fields that take text.

import { useLayoutEffect } from "preact/hooks";

export function useKeys(keys: (key: string) => boolean): void {
  // With what is painted: a key that is pressed at once is for what is seen.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (target?.closest("input, textarea, select, dialog")) return;
      if (keys(event.key)) event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });
}

/** The walk through a hand by keys: where a key leads, or null. */
export function walkKey(key: string, at: number, last: number): number | null {
  const target = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[key];
  return target === undefined || target < 0 || target > last ? null : target;
}
