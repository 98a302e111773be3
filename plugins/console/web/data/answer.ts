import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { onChanges } from './live.ts';
import { type Message, messageOf } from './problem.ts';
import { type Answer, request } from './request.ts';

/** What the API answers to a path, as it is now. */
export interface Live<T> {
  /** Undefined until the first answer has come. */
  readonly value: T | undefined;
  /** Why the last read failed; null = it did not. The value is that of the read before. */
  readonly error: Message | null;
}

export interface LiveOptions {
  /** The records whose changes change the answer: all of a kind, or one as `Task 12`. @default none */
  readonly kinds?: readonly string[];
  /** How often it is read besides, in milliseconds, while the page is seen: for what no change tells of. @default never */
  readonly every?: number;
}

/** The shortest time between two reads for changes, in milliseconds: a page costs little also while much changes. */
const minInterval = 1000;

/**
 * Reads a path of the API, and again whenever records of those kinds change.
 * @param path null = nothing is read.
 */
export function useLive<T>(path: string | null, options: LiveOptions = {}): Live<T> {
  return useSource(path, options, ({ value }: Answer<T>) => value);
}

/** One page of a list. */
export interface Page<T> {
  readonly rows: readonly T[];
  /** The number of rows on all pages: `7`, or `10000+`. */
  readonly total: string;
  /** The parameters of the next page; null on the last one. */
  readonly next: URLSearchParams | null;
}

/** Reads one page of a list as `useLive` does. */
export function useLivePage<T>(path: string | null, options: LiveOptions = {}): Live<Page<T>> {
  return useSource(path, options, pageOf<T>);
}

/** Makes a page of an answer whose headers say how many rows there are, and where the rest is. */
function pageOf<T>({ value, headers }: Answer<readonly T[]>): Page<T> {
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return {
    rows: value,
    total: headers.get('x-total-count') ?? String(value.length),
    next: next === undefined ? null : new URL(next, document.baseURI).searchParams,
  };
}

/** Keeps the last value while that of another path is read, so that a list does not vanish while its filter is typed. */
export function useKept<T>({ value, error }: Live<T>): Live<T> {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return { value: last.current, error };
}

/**
 * Reads a path as `useLive` does, and makes something of each answer.
 * @param resultOf is the same function each time.
 */
export function useSource<A, T>(
  path: string | null,
  options: LiveOptions,
  resultOf: (answer: Answer<A>) => T,
): Live<T> {
  const kinds = (options.kinds ?? []).join();
  const { every } = options;
  const source = useMemo(() => liveSource(path, kinds === '' ? [] : kinds.split(','), resultOf), [path, kinds]);
  useEffect(source.start, [source]);
  useEffect(() => (every === undefined ? undefined : source.poll(every)), [source, every]);
  return source.answer.value;
}

/** The last answer to each URL that is shown: a view that is opened again shows it until the next one has come. */
const answers = new Map<string, unknown>();
const maxAnswers = 100;

function liveSource<A, T>(path: string | null, kinds: readonly string[], resultOf: (answer: Answer<A>) => T) {
  const known = path === null ? undefined : (answers.get(path) as T | undefined);
  const answer = signal<Live<T>>({ value: known, error: null });
  let isOver = false;
  let isReading = false;
  let isDue = false;
  let readAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const readNow = async (): Promise<void> => {
    if (path === null || isOver) return;
    if (isReading) {
      isDue = true;
      return;
    }
    isReading = true;
    isDue = false;
    readAt = performance.now();
    try {
      const value = resultOf(await request<A>(path));
      if (isOver) return;
      remember(path, value);
      answer.value = { value, error: null };
    } catch (error) {
      if (!isOver) answer.value = { value: answer.value.value, error: messageOf(error) };
    } finally {
      isReading = false;
      if (isDue) readSoon();
    }
  };
  /** A page that is not seen reads once it is. */
  const readIfSeen = (): void => {
    if (document.visibilityState === 'visible') void readNow();
    else isDue = true;
  };
  const readSoon = (): void => {
    if (timer !== undefined || isOver) return;
    const wait = Math.max(0, readAt + minInterval - performance.now());
    timer = setTimeout(() => {
      timer = undefined;
      readIfSeen();
    }, wait);
  };
  const start = (): (() => void) => {
    isOver = false;
    void readNow();
    const stopListening = onChanges((changes) => {
      if (
        changes === null ||
        changes.some(
          ({ entity_type: kind, entity_id }) => kinds.includes(kind) || kinds.includes(`${kind} ${entity_id}`),
        )
      )
        readSoon();
    });
    const onVisible = () => {
      if (document.visibilityState === 'visible' && isDue) void readNow();
    };
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      isOver = true;
      stopListening();
      document.removeEventListener('visibilitychange', onVisible);
      clearTimeout(timer);
      timer = undefined;
    };
  };
  const poll = (every: number): (() => void) => {
    const polling = setInterval(readIfSeen, every);
    return () => clearInterval(polling);
  };
  return { answer: answer as ReadonlySignal<Live<T>>, start, poll };
}

function remember(path: string, value: unknown): void {
  answers.delete(path);
  answers.set(path, value);
  const [oldest] = answers.keys();
  if (answers.size > maxAnswers && oldest !== undefined) answers.delete(oldest);
}
