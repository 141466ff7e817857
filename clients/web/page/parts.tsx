// Small parts that several screens share.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { BuraError, Theme } from "../src/index.js";
import type { InputFault, RecordFault } from "../src/index.js";
import { isDark, useSay, useSettings } from "./context.js";
import { go, packed } from "./route.js";
import { bura } from "./service.js";

export function percent(chance: number): string {
  return `${(100 * chance).toFixed(1)} %`;
}

/** What is wrong with what a person gave; each fault with its place. */
export function Faults({ faults }: { faults: readonly (RecordFault | InputFault)[] }) {
  const say = useSay();
  if (!faults.length) return null;
  return (
    <div class="faults" role="alert">
      <h2>{say("faultsOf", faults.length)}</h2>
      <ul>
        {faults.map((fault, at) => (
          <li key={at}>
            <b>{fault.field}</b>{" "}
            {"problem" in fault ? (
              <>
                {fault.value && <code>{fault.value.slice(0, 60)}</code>} {fault.problem}
                {fault.remedy && <>: {fault.remedy}</>}
              </>
            ) : (
              fault.description
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Why a call failed. */
export function Failure({ error, again }: { error: BuraError; again?: () => void }) {
  const say = useSay();
  if (error.faults.length) return <Faults faults={error.faults} />;
  return (
    <div class="faults" role="alert">
      <p>{error.mayTryAgain ? say("unreachable") : error.rawMessage}</p>
      {again && (
        <button type="button" onClick={again}>
          {say("retry")}
        </button>
      )}
    </div>
  );
}

/** Opens a pasted line or record: which of the two it is, its first letter tells. */
export async function openText(text: string): Promise<void> {
  const trimmed = text.trim();
  if (!trimmed) return;
  if (trimmed.startsWith("[")) go("review", { r: await packed(trimmed) });
  else go("table", { p: trimmed.replace(/\s+/g, " ") });
}

export function PasteBox({ rows = 2 }: { rows?: number }) {
  const say = useSay();
  const [text, setText] = useState("");
  return (
    <form
      class="paste"
      onSubmit={(event) => {
        event.preventDefault();
        void openText(text);
      }}
    >
      <label for="paste">{say("paste")}</label>
      <textarea
        id="paste"
        rows={rows}
        spellcheck={false}
        autocomplete="off"
        value={text}
        aria-describedby="paste-hint"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !text.trim().startsWith("[")) {
            event.preventDefault();
            void openText(text);
          }
        }}
      />
      <button type="submit" class="main">
        {say("open")}
      </button>
      <p id="paste-hint" class="quiet">
        {say("pasteHint")}
      </p>
    </form>
  );
}

interface ShareProps {
  /** The position that is shown. */
  line: string;
  /** Whose hand lies at the bottom of a picture. */
  seat?: number | undefined;
  /** The record of the hand, where there is one. */
  record?: string | undefined;
}

/** Everything that can be taken away from the page. */
export function Share({ line, seat, record }: ShareProps) {
  const say = useSay();
  const { theme, language } = useSettings();
  const [note, setNote] = useState("");
  const [text, setText] = useState("");

  async function copy(value: string): Promise<void> {
    setText("");
    try {
      await navigator.clipboard.writeText(value);
      setNote(say("copied"));
    } catch {
      // Not over plain HTTP, or not permitted: then by hand.
      setNote(say("copyFailed"));
      setText(value);
    }
  }

  async function picture(): Promise<{ svg: string; width: number; height: number }> {
    const drawn = await bura.table.drawPosition({
      source: { case: "position", value: line },
      theme: isDark(theme) ? Theme.DARK : Theme.LIGHT,
      language,
      ...(seat === undefined ? {} : { seat }),
    });
    return { svg: drawn.svg, width: drawn.width ?? 0, height: drawn.height ?? 0 };
  }

  async function guarded(work: () => Promise<void>): Promise<void> {
    setText("");
    try {
      await work();
    } catch (error) {
      setNote(BuraError.of(error).rawMessage);
    }
  }

  const saveSvg = () =>
    guarded(async () => {
      const { svg } = await picture();
      save(new Blob([svg], { type: "image/svg+xml" }), "bura.svg");
      setNote(say("saved"));
    });
  const savePng = () =>
    guarded(async () => {
      save(await png(await picture()), "bura.png");
      setNote(say("saved"));
    });
  const copyPicture = () =>
    guarded(async () => {
      const image = await png(await picture());
      await navigator.clipboard.write([new ClipboardItem({ "image/png": image })]);
      setNote(say("copied"));
    });

  return (
    <details class="share">
      <summary>{say("share")}</summary>
      <div class="buttons">
        <button type="button" id="copy-line" onClick={() => copy(line)}>
          {say("copyLine")}
        </button>
        <button type="button" onClick={() => copy(location.href)}>
          {say("copyLink")}
        </button>
        {record && (
          <button type="button" onClick={() => copy(record)}>
            {say("copyRecord")}
          </button>
        )}
        <button type="button" onClick={savePng}>
          {say("savePng")}
        </button>
        <button type="button" onClick={saveSvg}>
          {say("saveSvg")}
        </button>
        <button type="button" onClick={copyPicture}>
          {say("copyPicture")}
        </button>
      </div>
      <code class="line">{line}</code>
      <p role="status" class="quiet">
        {note}
      </p>
      {text && <textarea readOnly rows={4} value={text} aria-label={say("copyFailed")} />}
    </details>
  );
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The picture at twice its size, for screens and print. */
async function png(drawn: { svg: string; width: number; height: number }): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn.svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * drawn.width;
  canvas.height = 2 * drawn.height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
  });
}

interface WalkProps {
  at: number;
  last: number;
  to: (at: number) => void;
}

/** Back and forward through the moves of a hand. */
export function Walk({ at, last, to }: WalkProps) {
  const say = useSay();
  const button = (label: string, sign: string, target: number, key: string): ComponentChildren => (
    <button
      type="button"
      aria-label={label}
      title={`${label} (${key})`}
      disabled={target < 0 || target > last || target === at}
      onClick={() => to(target)}
    >
      {sign}
    </button>
  );
  return (
    <div class="walk" role="group" aria-label={say("history")}>
      {button(say("toStart"), "|◀", 0, "Home")}
      {button(say("back"), "◀", at - 1, "←")}
      <span class="ply">
        {at}/{last}
      </span>
      {button(say("forward"), "▶", at + 1, "→")}
      {button(say("toEnd"), "▶|", last, "End")}
    </div>
  );
}
