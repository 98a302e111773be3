import type { ChangeFeed } from '../audit/feed/change-feed.ts';
import type { FeedBatch } from '../audit/feed/subscriber.ts';
import { Records, type RecordsContext } from '../records/records.ts';
import { visibleTo } from '../resource/access.ts';
import { type Actor, trustedActor } from '../resource/actor.ts';
import type { Resource } from '../resource/define-resource.ts';
import { Task, type TaskRow } from './task.ts';
import { changesState, tasksAfter } from './task-versions.ts';

export interface TasksContext extends RecordsContext {
  readonly changeFeed: ChangeFeed;
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
    const { store, changeFeed } = this.#context;
    const where = visibleTo(actor, this.resource);
    const work = async ({ changes }: FeedBatch) => {
      const ofStates = changes.filter(changesState);
      return ofStates.length === 0 ? [] : store.read((tables) => tasksAfter(tables, ofStates, where));
    };
    return changeFeed.watch(work, { signal });
  }
}
