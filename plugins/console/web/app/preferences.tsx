import { sayMistake } from '../parts/messages.tsx';
import { languageNames } from '../words/language.ts';
import { chooseLanguage, language, words } from '../words/words.ts';
import { scheme, schemes } from './scheme.ts';

/** In which language and colours this browser shows the pages. */
export function Preferences() {
  const { shell } = words.value;
  return (
    <>
      <label class="field">
        {shell.language}
        <select
          value={language.value}
          onChange={({ currentTarget }) => {
            chooseLanguage(currentTarget.value).catch(() => {
              currentTarget.value = language.value;
              sayMistake(shell.notLoaded);
            });
          }}
        >
          {languageNames.map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        {shell.scheme}
        <select
          value={scheme.value}
          onChange={({ currentTarget }) => {
            scheme.value = schemes.find((name) => name === currentTarget.value) ?? 'auto';
          }}
        >
          {schemes.map((name) => (
            <option key={name} value={name}>
              {shell.schemes[name]}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
