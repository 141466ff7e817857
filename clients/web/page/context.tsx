// Language and colours of the page, kept by the browser and not part of an address.

import { createContext } from "preact";
import type { ComponentChildren } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";

import { LANGUAGES, WORDS } from "./words.js";
import type { Language, Word } from "./words.js";

export type ThemeChoice = "auto" | "light" | "dark";

interface Settings {
  language: Language;
  theme: ThemeChoice;
  setLanguage(language: Language): void;
  setTheme(theme: ThemeChoice): void;
}

const Context = createContext<Settings | null>(null);

function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // the browser keeps nothing for this page
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // It will be asked again next time.
  }
}

/** The language to begin with: `?lang=` of the address, the one chosen last, the browser's. */
function firstLanguage(): Language {
  const wanted = [
    new URLSearchParams(location.search).get("lang"),
    kept("bura.language"),
    ...navigator.languages.map((tag) => tag.slice(0, 2)),
  ];
  return LANGUAGES.find((language) => language === wanted.find((tag) => isLanguage(tag))) ?? "en";
}

function isLanguage(tag: string | null | undefined): tag is Language {
  return LANGUAGES.some((language) => language === tag);
}

function firstTheme(): ThemeChoice {
  const theme = kept("bura.theme");
  return theme === "light" || theme === "dark" ? theme : "auto";
}

export function Settled({ children }: { children: ComponentChildren }) {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const [theme, setTheme] = useState<ThemeChoice>(firstTheme);
  // Before anything is painted: no flash of the other colours when the page opens.
  useLayoutEffect(() => {
    document.documentElement.lang = language;
    document.title = WORDS[language].title;
  }, [language]);
  useLayoutEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const settings: Settings = {
    language,
    theme,
    setLanguage(next) {
      keep("bura.language", next);
      setLanguage(next);
    },
    setTheme(next) {
      keep("bura.theme", next);
      setTheme(next);
    },
  };
  return <Context.Provider value={settings}>{children}</Context.Provider>;
}

export function useSettings(): Settings {
  const settings = useContext(Context);
  if (!settings) throw new Error("outside of Settled");
  return settings;
}

export type Say = (word: Word, ...values: (string | number)[]) => string;

/** What says a word in the language of the page. */
export function useSay(): Say {
  const { language } = useSettings();
  return (word, ...values) =>
    // The service may know reasons that are newer than this page.
    (WORDS[language][word] ?? word.replace(/^reason_/, "")).replace(/\{(\d)\}/g, (_, at: string) => String(values[Number(at)] ?? ""));
}

export function isDark(theme: ThemeChoice): boolean {
  return theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
}
