// Every state of the page is its address: `#/screen?name=value&...`.

import { useEffect, useState } from "preact/hooks";

export const SCREENS = ["table", "setup", "review", "puzzles"] as const;
export type Screen = (typeof SCREENS)[number];

export interface Route {
  readonly screen: Screen;
  readonly params: URLSearchParams;
}

export type Params = Record<string, string | number | null | undefined>;

export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const screen = SCREENS.find((name) => name === path) ?? "table";
  return { screen, params: new URLSearchParams(query) };
}

/** The address of a state; parameters that are null, undefined or empty are left out. */
export function href(screen: Screen, params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return `#/${screen}${text ? `?${text}` : ""}`;
}

/** Goes to a state; `replace` leaves no step for the browser's "back". */
export function go(screen: Screen, params: Params = {}, replace = false): void {
  const address = href(screen, params);
  if (address === location.hash) return;
  if (replace) {
    history.replaceState(null, "", address);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = address;
  }
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const listen = () => setHash(location.hash);
    addEventListener("hashchange", listen);
    return () => removeEventListener("hashchange", listen);
  }, []);
  return readRoute(hash);
}

/** A longer text, such as a record, made short enough for an address. */
export async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The text again; null where the address was damaged. */
export async function unpacked(text: string): Promise<string | null> {
  try {
    const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const plain = await new Response(stream).arrayBuffer();
    return plain.byteLength > 200_000 ? null : new TextDecoder().decode(plain);
  } catch {
    return null;
  }
}
