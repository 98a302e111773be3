import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Live, useKept, useSource } from './answer.ts';
import { type Answer, warningsOf } from './request.ts';

/** A record that a search has found. */
export interface FoundRecord {
  readonly resource: string;
  readonly id: number;
  readonly title: string;
  /** What it belongs to, and its code; null where there is neither. */
  readonly subtitle: string | null;
}

interface Found {
  /** The best first. */
  readonly rows: readonly FoundRecord[];
  /** Sentences that say what was not searched. */
  readonly warnings: readonly string[];
}

/** Which records are searched. */
export interface SearchOptions {
  /** @default those of every kind */
  readonly resource?: string;
  /** What narrows the records of that kind, as the query of its list has it. @default nothing */
  readonly filters?: URLSearchParams;
  readonly limit?: number;
}

/** How many records of one kind a search finds at most. */
export const maxFound = 100;

/** How long no key is pressed until the service is asked, in milliseconds. */
const pauseOfTyping = 200;

interface Search extends Live<Found> {
  /** Whether the value is that of the text as it is typed, and not of the one before. */
  readonly isCurrent: boolean;
}

/**
 * The records that have the words that are typed, or an id, and that the user may see. The service is asked when the reader
 * pauses; the former ones stay until it has answered.
 * @param typed without words, nothing is searched, and there is no value.
 */
export function useFound(typed: string, { resource, filters, limit }: SearchOptions = {}): Search {
  const q = useSettled(typed).trim();
  const parameters = new URLSearchParams({ q });
  if (resource !== undefined) parameters.set('resource', resource);
  if (filters !== undefined && filters.size > 0) parameters.set('filters', String(filters));
  if (limit !== undefined) parameters.set('limit', String(limit));
  const path = q === '' ? null : `/console/search?${parameters}`;
  const current = useSource(path, { kinds: resource === undefined ? [] : [resource] }, foundOf);
  const kept = useKept(current);
  if (path === null) return { value: undefined, error: null, isCurrent: typed.trim() === '' };
  return { ...kept, isCurrent: typed.trim() === q && current.value !== undefined };
}

/** A text as it was when the reader last paused typing it. */
function useSettled(text: string): string {
  const settled = useSignal(text);
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = text;
    }, pauseOfTyping);
    return () => clearTimeout(timer);
  }, [text]);
  return settled.value;
}

function foundOf({ value, headers }: Answer<readonly FoundRecord[]>): Found {
  return { rows: value, warnings: warningsOf(headers) };
}
