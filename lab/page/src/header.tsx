import { useSpeech, type Language } from './state/texts';

const languages: [Language, string, string][] = [
  ['en', 'English', 'en'],
  ['zh', '中文', 'zh-CN'],
];

interface Props {
  name: string | undefined;
  onMap(): void;
}

export function Header({ name, onMap }: Props) {
  const { language, choose, say } = useSpeech();
  return (
    <header class="top">
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
      >
        {say('skip')}
      </a>
      <span class="top-title">
        <Mark />
        {say('title')}
      </span>
      <nav aria-label={say('map')}>
        <button type="button" class="link" aria-current={name ? undefined : 'page'} onClick={onMap}>
          {say('map')}
        </button>
        {name && (
          <span class="top-place mono" aria-current="page">
            {name}
          </span>
        )}
      </nav>
      <div class="languages" role="group" aria-label={say('language')}>
        {languages.map(([code, label, lang]) => (
          <button
            key={code}
            type="button"
            lang={lang}
            aria-pressed={language === code}
            onClick={() => choose(code)}
          >
            {label}
          </button>
        ))}
      </div>
    </header>
  );
}

// Two lanes that are thick at one time.
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <path class="lane-0" d="M8 2v20" stroke-width="2" />
      <path class="lane-1" d="M16 2v20" stroke-width="2" />
      <path class="lane-0" d="M8 7v11" stroke-width="6" />
      <path class="lane-1" d="M16 12v10" stroke-width="6" />
    </svg>
  );
}
