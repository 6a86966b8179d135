// The interface's texts in the chosen language.
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import en from '../../texts/en.json';
import zh from '../../texts/zh.json';
import { remember, remembered } from './storage';

export type Language = 'en' | 'zh';
export type TextName = keyof typeof en;
type Values = Record<string, string | number>;
export type Say = (name: TextName, values?: Values) => string;

const texts: Record<Language, Record<string, string>> = { en, zh };

const isLanguage = (found: unknown): found is Language => found === 'en' || found === 'zh';

function sayIn(language: Language): Say {
  const number = new Intl.NumberFormat(language);
  return (name, values = {}) => {
    const single = values['n'] === 1 ? texts[language][`${name}.one`] : undefined;
    const text = single ?? texts[language][name] ?? name;
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
}

const SpeechContext = createContext<Speech>({ language: 'en', choose: () => {}, say: sayIn('en') });

export function SpeechProvider({ children }: { children: ComponentChildren }) {
  const [language, setLanguage] = useState<Language>(() => remembered('language', isLanguage, 'en'));
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  }, [language]);
  const choose = (chosen: Language) => {
    remember('language', chosen);
    setLanguage(chosen);
  };
  return (
    <SpeechContext.Provider value={{ language, choose, say: sayIn(language) }}>
      {children}
    </SpeechContext.Provider>
  );
}

export const useSpeech = () => useContext(SpeechContext);
export const useSay = () => useContext(SpeechContext).say;
