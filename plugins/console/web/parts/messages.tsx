import { signal } from '@preact/signals';
import { hrefOf, path } from '../app/router.ts';
import { useLive } from '../data/answer.ts';
import { type Message, messageOf } from '../data/problem.ts';
import { words } from '../words/words.ts';
import { Said } from './text/said.tsx';

interface ShownMessage {
  readonly id: number;
  readonly text: Message;
  readonly isMistake: boolean;
  readonly undo: Undo | null;
  readonly undoLabel: string | null;
  readonly job: number | null;
  /** The view of what it is about; null = none, or the one that says it. */
  readonly view: string | null;
}

type Undo = () => Promise<void>;

/** What else a message has. */
interface MessageOptions {
  /** Takes back what has happened. */
  readonly undo?: Undo | null;
  /** What its button says. @default Undo */
  readonly undoLabel?: string;
  /** The job that Undo cancels: once it has ended, there is none. */
  readonly job?: number;
  /** The view of what has happened. */
  readonly view?: string;
}

const messages = signal<readonly ShownMessage[]>([]);
let lastId = 0;

/** How long a message stays that says what has happened, in milliseconds; one that says what went wrong stays until it is closed. */
const shownTime = 10_000;
/** The most messages at once: older ones go. */
const maxMessages = 4;

function add(message: Omit<ShownMessage, 'id'>): void {
  const id = ++lastId;
  messages.value = [...messages.value, { ...message, id }].slice(-maxMessages);
  if (!message.isMistake) closeLater(id);
}

/** Closes a message after a while: not while the reader is at it. */
function closeLater(id: number): void {
  setTimeout(() => {
    if (document.querySelector('.messages:is(:hover, :focus-within)')) closeLater(id);
    else close(id);
  }, shownTime);
}

function close(id: number): void {
  messages.value = messages.value.filter((message) => message.id !== id);
}

/** Says what has happened. One who does something and then goes to another view says it there. */
export function say(text: string, { undo = null, undoLabel, job, view }: MessageOptions = {}): void {
  add({
    text,
    isMistake: false,
    undo,
    undoLabel: undoLabel ?? null,
    job: job ?? null,
    view: view === undefined || view === path.peek() ? null : view,
  });
}

/** Says why something did not happen. */
export function sayMistake(error: unknown): void {
  add({ text: messageOf(error), isMistake: true, undo: null, undoLabel: null, job: null, view: null });
}

/** Takes messages away when the reader goes to another view: they are about the former one. */
export function startMessages(): void {
  path.subscribe(() => {
    messages.value = [];
  });
}

/** What has happened lately, in a line across the screen that covers nothing of the view; screen readers hear it. */
export function Messages() {
  const { act } = words.value;
  return (
    <div class="messages" role="log" aria-live="polite">
      {messages.value.map(({ id, text, isMistake, undo, undoLabel, job, view }) => (
        <p key={id} class={isMistake ? 'message mistake' : 'message'}>
          <Said of={text} />
          {view !== null && <a href={hrefOf(view)}>{act.show}</a>}
          {undo && (
            <UndoAct
              job={job}
              label={undoLabel ?? act.undo}
              act={() => {
                close(id);
                undo().catch(sayMistake);
              }}
            />
          )}
          <button type="button" class="plain" aria-label={act.close} onClick={() => close(id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}

interface UndoActProps {
  readonly job: number | null;
  readonly label: string;
  readonly act: () => void;
}

/** The button that takes back what has happened, while that can be done. */
function UndoAct({ job, label, act }: UndoActProps) {
  const { value } = useLive<{ readonly finished_at: string | null }>(job === null ? null : `/job/${job}.json`, {
    kinds: [`Job ${job}`],
  });
  if (value && value.finished_at !== null) return null;
  return (
    <button type="button" onClick={act}>
      {label}
    </button>
  );
}
