import type { ComponentChildren } from 'preact';

interface SentenceProps {
  /** With names in braces for what stands in it: `{who} deleted {record}`. */
  readonly of: string;
  readonly with: Readonly<Record<string, ComponentChildren>>;
}

/** A sentence of the words whose parts are elements, such as names and times: each language has its own order of them. */
export function Sentence({ of, with: parts }: SentenceProps) {
  return <>{of.split(/\{(\w+)\}/).map((piece, index) => (index % 2 === 0 ? piece : parts[piece]))}</>;
}
