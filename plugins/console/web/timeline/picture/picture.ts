import { effect, signal } from '@preact/signals';
import { company } from '../../app/router.ts';
import { onChanges } from '../../data/live.ts';
import { type Message, messageOf } from '../../data/problem.ts';
import { rested } from '../view.ts';
import type { PictureRow } from './marks.ts';
import { isCovered, type Range, rangeOf, readTemplates, type Templates } from './read-templates.ts';
import type { Shift } from './shifts.ts';

/** What has been read of the timeline. */
export interface Picture extends Range {
  /** By company, App and name. */
  readonly rows: readonly PictureRow[];
  readonly shifts: readonly Shift[];
}

/** The kinds of records whose changes change the picture. */
const kinds = new Set(['Task', 'Job', 'Pause', 'MaintenanceWindow', 'RunTemplate', 'App', 'Company', 'Calendar']);
/** The shortest time between two reads for changes, in milliseconds. */
const minInterval = 2000;
/** How much longer than it took all templates are not read again: those that are seen are. */
const restPerRead = 20;
/** How long rows are seen before they are read one by one, in milliseconds: not those that only pass by. */
const passingTime = 80;
/** Up to so many templates are read at once, with their runs one by one. */
const fewTemplates = 40;
/** How many templates a filter of the API may name. */
const maxNamed = 100;

/**
 * Reads the timeline of the view, and again whenever it changes. Where there are many templates their runs come counted, and
 * those of the templates that are seen are read one by one.
 */
export class PictureSource {
  /** Null until the first answer has come. */
  readonly picture = signal<Picture | null>(null);
  /** Why the last read failed; null = it did not. */
  readonly error = signal<Message | null>(null);
  /** The ids of the templates that are seen. */
  readonly seen = signal<readonly number[]>([]);
  /** The width of the picture in CSS pixels; 0 = it is not known yet. */
  readonly width = signal(0);
  #all: readonly PictureRow[] = [];
  #details = new Map<number, PictureRow>();
  /** What is read: that of the picture, unless it could not be read yet. */
  #range: Range | null = null;
  #reading: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether all pages have been read once. */
  #isComplete = false;
  #isSeenStale = false;
  #isAllStale = false;
  #readAt = Number.NEGATIVE_INFINITY;
  #allReadAt = Number.NEGATIVE_INFINITY;
  #allTook = 0;

  /** Begins to read. @returns a function that ends it. */
  start(): () => void {
    const stops = [
      effect(() => {
        const range = rangeOf(rested.value, this.width.value, company.value);
        const isMissing = !isCovered(this.picture.peek(), range, rested.value);
        if (this.width.value === 0 || !isMissing) return;
        this.#range = range;
        void this.#read((signal) => this.#readAll(range, signal));
      }),
      effect(() => {
        if (this.seen.value.length > 0) this.#next();
      }),
      onChanges((changes) => {
        if (changes?.every(({ entity_type }) => !kinds.has(entity_type))) return;
        this.#isSeenStale = true;
        this.#isAllStale = true;
        this.#next();
      }),
    ];
    const onVisible = () => this.#next();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      for (const stop of stops) stop();
      document.removeEventListener('visibilitychange', onVisible);
      clearTimeout(this.#timer);
      this.#reading?.abort();
    };
  }

  get #isLarge(): boolean {
    return this.#all.length > fewTemplates;
  }

  /** When all templates may be read again. */
  get #allDue(): number {
    return Math.max(this.#readAt + minInterval, this.#isLarge ? this.#allReadAt + restPerRead * this.#allTook : 0);
  }

  /** The templates that are seen and whose runs are only counted, though they might be listed. */
  get #missing(): number[] {
    if (!this.#isLarge) return [];
    const counted = new Set(this.#all.filter(({ marks }) => marks === null).map(({ id }) => id));
    return this.seen.peek().filter((id) => counted.has(id) && !this.#details.has(id));
  }

  /** Waits for the time of the next read, if there is something to read. */
  #next(): void {
    clearTimeout(this.#timer);
    if (this.#reading || document.visibilityState !== 'visible' || !this.#range) return;
    const dues = [
      ...(this.#isSeenStale ? [this.#readAt + minInterval] : []),
      ...(this.#isAllStale ? [this.#allDue] : []),
      ...(this.#missing.length > 0 ? [performance.now() + passingTime] : []),
    ];
    if (dues.length === 0) return;
    this.#timer = setTimeout(() => this.#readDue(), Math.max(0, Math.min(...dues) - performance.now()));
  }

  #readDue(): void {
    const range = this.#range;
    if (!range) return;
    if (this.#isAllStale && this.#allDue <= performance.now()) {
      void this.#read((signal) => this.#readAll(range, signal));
      return;
    }
    const isStale = this.#isSeenStale && this.#readAt + minInterval <= performance.now();
    const ids = isStale ? this.seen.peek() : this.#missing;
    if (isStale) this.#isSeenStale = false;
    void this.#read((signal) => this.#readSeen(range, ids, signal));
  }

  async #read(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#reading?.abort();
    const controller = new AbortController();
    this.#reading = controller;
    this.#readAt = performance.now();
    try {
      await work(controller.signal);
      this.error.value = null;
    } catch (error) {
      if (controller.signal.aborted) return;
      this.error.value = messageOf(error);
      this.#isAllStale = true;
    }
    if (this.#reading !== controller) return;
    this.#reading = null;
    this.#next();
  }

  async #readAll(range: Range, signal: AbortSignal): Promise<void> {
    this.#isAllStale = false;
    this.#isSeenStale = false;
    const began = performance.now();
    const seen = this.seen.peek().slice(0, maxNamed);
    const details = this.#isLarge && seen.length > 0 ? readTemplates(range, { ids: seen }, signal) : null;
    const { rows, shifts } = await this.#readPages(range, { rows: [], after: null }, signal);
    this.#details = new Map((await details)?.rows.map((row) => [row.id, row]));
    this.#allReadAt = performance.now();
    this.#allTook = this.#allReadAt - began;
    this.#show(range, rows, shifts);
    this.#isComplete = true;
  }

  /** Reads the pages after one, and shows those of the first picture as they come; a later picture replaces it as a whole. */
  async #readPages(
    range: Range,
    { rows: before, after }: { readonly rows: readonly PictureRow[]; readonly after: number | null },
    signal: AbortSignal,
  ): Promise<Pick<Templates, 'rows' | 'shifts'>> {
    const { rows: more, shifts, next } = await readTemplates(range, { after }, signal);
    const rows = [...before, ...more];
    if (next === null) return { rows, shifts };
    if (!this.#isComplete) this.#show(range, rows, shifts);
    return this.#readPages(range, { rows, after: next }, signal);
  }

  async #readSeen(range: Range, ids: readonly number[], signal: AbortSignal): Promise<void> {
    const { rows, shifts } = await readTemplates(range, { ids: ids.slice(0, maxNamed) }, signal);
    for (const row of rows) this.#details.set(row.id, row);
    this.#show(range, this.#all, shifts);
  }

  #show({ company, from, to, slot }: Range, all: readonly PictureRow[], shifts: readonly Shift[]): void {
    this.#all = [...all];
    const rows = all.map((row) => this.#details.get(row.id) ?? row);
    this.picture.value = { company, from, to, slot, rows, shifts };
  }
}
