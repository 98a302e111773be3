import { HorariumError } from '../errors.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { Records, type RecordsContext } from '../records/records.ts';
import { visibleTo } from '../resource/access.ts';
import { type Actor, trustedActor } from '../resource/actor.ts';
import type { Resource } from '../resource/define-resource.ts';
import { Task, type TaskRow } from './task.ts';
import { endOfLog, type LogPosition, readTaskChanges, type TaskChanges } from './task-changes.ts';

export interface TasksContext extends RecordsContext {
  readonly clock: Clock;
  /** The maximum time between two reads of the store: other processes may have changed Tasks in it. */
  readonly poll: Milliseconds;
  /** Aborts when the core stops. */
  readonly stopped: AbortSignal;
}

export interface WatchOptions {
  /** Ends the iteration. @default it ends when the core stops */
  readonly signal?: AbortSignal;
}

const everyone = trustedActor('embedding program', 'embedded');

/** The records of Tasks, and the changes of their states as they happen. */
export class Tasks extends Records<TaskRow> {
  readonly #context: TasksContext;

  constructor(context: TasksContext) {
    super(context.findResource(Task.name) as Resource<TaskRow>, context);
    this.#context = context;
  }

  /**
   * Yields a Task each time that it has entered a state, as it was then, whichever process changed it: once, in order, and
   * every change that is committed after the first read of the store, which the call begins. The iteration ends when the
   * signal aborts or the core stops.
   * @param actor sees the Tasks that are yielded. @default everything is seen
   */
  watch(actor: Actor = everyone, { signal }: WatchOptions = {}): AsyncGenerator<TaskRow, void> {
    const start = this.#context.store.read(endOfLog);
    // The error is thrown by the first step of the iteration, which may never be made.
    start.catch(() => undefined);
    return this.#watch(actor, start, signal);
  }

  async *#watch(actor: Actor, start: Promise<LogPosition>, signal: AbortSignal | undefined) {
    const { clock, store, stopped, poll } = this.#context;
    const ends = signal ? [signal, stopped] : [stopped];
    const isOver = () => ends.some(({ aborted }) => aborted);
    let waiting = new AbortController();
    const wake = () => waiting.abort('woken');
    const removeListener = store.onCommit(wake);
    for (const end of ends) end.addEventListener('abort', wake);
    try {
      let position = await start;
      while (!isOver()) {
        await yieldToEventLoop();
        // A commit during the read wakes the wait that follows it.
        waiting = new AbortController();
        const changes = await this.#read(actor, position);
        for (const task of changes?.tasks ?? []) if (!isOver()) yield task;
        position = changes?.next ?? position;
        if (isOver()) return;
        if (!changes || changes.tasks.length === 0) await clock.sleep(poll, waiting.signal);
      }
    } finally {
      removeListener();
      for (const end of ends) end.removeEventListener('abort', wake);
    }
  }

  /** @returns null while the store is unavailable, so that no change is lost by an interruption. */
  async #read(actor: Actor, position: LogPosition): Promise<TaskChanges | null> {
    try {
      const where = visibleTo(actor, this.resource);
      return await this.#context.store.read((tables) => readTaskChanges(tables, position, where));
    } catch (error) {
      if (error instanceof HorariumError && error.code === 'unavailable') return null;
      throw error;
    }
  }
}
