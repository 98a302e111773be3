import { capitalized, language, serviceLanguage } from '../words/words.ts';
import { When } from './when.tsx';

/** A time as clauses of the API have it. */
const instant = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)/;

interface ClauseProps {
  readonly of: string;
  /** Whether it begins as a sentence does. @default false */
  readonly first?: boolean;
}

/** A clause of the API in its language: its times are those of the reader, and what it quotes cannot change the text around it. */
export function Clause({ of, first = false }: ClauseProps) {
  return (
    <bdi lang={serviceLanguage.value}>
      {(first ? capitalized(of) : of).split(instant).map((part, index) =>
        index % 2 === 1 ? (
          <span key={index} lang={serviceLanguage.value && language.value}>
            <When at={part} as="moment" />
          </span>
        ) : (
          part
        ),
      )}
    </bdi>
  );
}

/** A clause of the API, or a text of the pages where there is none. */
export function clauseOr(clause: string | null, text: string | undefined) {
  return clause === null ? text : <Clause of={clause} />;
}

/** Makes a sentence of a clause of the API. */
export function sentenceOf(clause: string): string {
  return `${capitalized(clause)}${/[.!?]$/.test(clause) ? '' : '.'}`;
}
