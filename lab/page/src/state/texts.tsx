// The chosen language: the interface's texts, and what the engine says.
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import en from '../../texts/en.json';
import phrases from '../../texts/engine.zh.json';
import sentences from '../../texts/lessons.zh.json?by-english';
import zh from '../../texts/zh.json';
import { makeTranslator, type Translate } from '../texts/translator.mjs';
import { remember, remembered } from './storage';

export type Language = 'en' | 'zh';
export type TextName = keyof typeof en;
type Values = Record<string, string | number>;
export type Say = (name: TextName, values?: Values) => string;

const texts: Record<Language, Record<string, string>> = { en, zh };

const translators: Record<Language, Translate> = {
  en: (text) => text,
  zh: makeTranslator({ sentences, phrases, comma: '，' }),
};

const isLanguage = (found: unknown): found is Language => found === 'en' || found === 'zh';

// Without a mouse there is mostly no keyboard either.
const isTouched = () => matchMedia('(pointer: coarse) and (hover: none)').matches;

// The first of the browser's languages that the page speaks.
function languageOfBrowser(): Language {
  const spoken = navigator.languages.map((tag) => tag.toLowerCase().split('-')[0]);
  return spoken.find(isLanguage) ?? 'en';
}

function sayIn(language: Language): Say {
  const number = new Intl.NumberFormat(language);
  return (name, values = {}) => {
    const single = values['n'] === 1 ? texts[language][`${name}.one`] : undefined;
    const tapped = isTouched() ? texts[language][`${name}.touch`] : undefined;
    const text = single ?? tapped ?? texts[language][name] ?? name;
    return text.replace(/\{(\w+)\}/g, (_, key: string) => {
      const value = values[key] ?? '';
      return typeof value === 'number' ? number.format(value) : value;
    });
  };
}

interface Speech {
  language: Language;
  choose(language: Language): void;
  say: Say;
  // For all that the engine says; what has no translation stays in English.
  translate: Translate;
}

const speechIn = (language: Language) => ({
  language,
  say: sayIn(language),
  translate: translators[language],
});

const SpeechContext = createContext<Speech>({ ...speechIn('en'), choose: () => {} });

export function SpeechProvider({ children }: { children: ComponentChildren }) {
  const [language, setLanguage] = useState<Language>(() => remembered('language', isLanguage, languageOfBrowser()));
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  }, [language]);
  const choose = (chosen: Language) => {
    remember('language', chosen);
    setLanguage(chosen);
  };
  return (
    <SpeechContext.Provider value={{ ...speechIn(language), choose }}>
      {children}
    </SpeechContext.Provider>
  );
}

export const useSpeech = () => useContext(SpeechContext);
export const useSay = () => useContext(SpeechContext).say;
export const useTranslate = () => useContext(SpeechContext).translate;
