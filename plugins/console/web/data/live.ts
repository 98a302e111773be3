import { effect, signal } from '@preact/signals';
import { urlOf } from './request.ts';
import { session } from './session.ts';

/** A change of a record, as the stream tells it. */
export interface Change {
  readonly action: 'create' | 'update' | 'delete';
  readonly entity_type: string;
  readonly entity_id: number;
  readonly fields: readonly string[];
}

/** Called with the changes since the last call; null = any record may have changed. */
type Listener = (changes: readonly Change[] | null) => void;

const listeners = new Set<Listener>();

/** Whether changes arrive. While they do not, the pages say that they may be out of date. */
export const isLive = signal(true);

/** How long changes are gathered, in milliseconds: a burst of them is shown at once. */
const gatherTime = 150;
let gathered: Change[] = [];

/** Listens to all changes. @returns a function that ends it. */
export function onChanges(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Opens the stream of changes whenever a user is signed in, and closes it when not. */
export function follow(): void {
  effect(() => {
    if (!session.value) return undefined;
    const source = new EventSource(urlOf('/changes'));
    let wasOpen = false;
    source.addEventListener('ready', () => {
      isLive.value = true;
      // What was missed while the connection was down is sent now, or `reset`.
      wasOpen = true;
    });
    source.addEventListener('change', ({ data }: MessageEvent<string>) => gather(JSON.parse(data) as Change));
    source.addEventListener('reset', () => tell(null));
    source.addEventListener('error', () => {
      isLive.value = false;
      // The browser tries again by itself, unless the response was an error.
      if (source.readyState === EventSource.CLOSED) reopen(wasOpen);
    });
    return () => source.close();
  });
}

/** Connects again after an error, such as that of a proxy while the service restarts. A session that has ended shows then. */
function reopen(wasOpen: boolean): void {
  setTimeout(
    () => {
      const { value } = session;
      if (value) session.value = { ...value };
      tell(null);
    },
    wasOpen ? 1000 : 5000,
  );
}

/** Tells of a change that a page has made itself, of a record whose changes the stream does not tell. */
export function announce(entity_type: string, entity_id: number): void {
  gather({ action: 'update', entity_type, entity_id, fields: [] });
}

function gather(change: Change): void {
  gathered.push(change);
  if (gathered.length > 1) return;
  setTimeout(() => {
    const changes = gathered;
    gathered = [];
    tell(changes);
  }, gatherTime);
}

function tell(changes: readonly Change[] | null): void {
  for (const listener of listeners) listener(changes);
}
