import type { ComponentChildren } from 'preact';
import type { Live } from '../data/answer.ts';
import { words } from '../words/words.ts';
import { Mistake } from './mistake.tsx';
import { Said } from './text/said.tsx';

interface AnsweredProps<T> {
  readonly of: Live<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows a value once it has arrived, with the last error above it: what is known stays while the service is away. */
export function Answered<T>({ of: { value, error }, children }: AnsweredProps<T>) {
  if (value === undefined)
    return error === null ? (
      <p class="soft">{words.value.shell.loading}</p>
    ) : (
      <p role="alert">
        <Said of={error} />
      </p>
    );
  return (
    <>
      <Mistake of={error} />
      {children(value)}
    </>
  );
}
