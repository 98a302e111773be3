import { capitalized } from '../words/words.ts';
import { When } from './when.tsx';

/** A time as clauses of the API have it. */
const instant = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)/;

interface ClauseProps {
  readonly of: string;
  /** Whether it begins as a sentence does. @default false */
  readonly first?: boolean;
}

/** A clause of the API: its times are those of the reader, and what it quotes cannot change the text around it. */
export function Clause({ of, first = false }: ClauseProps) {
  return (
    <bdi>
      {(first ? capitalized(of) : of)
        .split(instant)
        .map((part, index) => (index % 2 === 1 ? <When key={index} at={part} as="moment" /> : part))}
    </bdi>
  );
}
