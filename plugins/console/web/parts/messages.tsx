import { signal } from '@preact/signals';
import { type Message, messageOf } from '../data/problem.ts';
import { words } from '../words/words.ts';
import { Said } from './text/said.tsx';

interface ShownMessage {
  readonly id: number;
  readonly text: Message;
  readonly isMistake: boolean;
  readonly undo: (() => Promise<void>) | null;
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
  if (!message.isMistake) setTimeout(() => close(id), shownTime);
}

function close(id: number): void {
  messages.value = messages.value.filter((message) => message.id !== id);
}

/** Says what has happened. @param undo takes it back. */
export function say(text: string, undo: (() => Promise<void>) | null = null): void {
  add({ text, isMistake: false, undo });
}

/** Says why something did not happen. */
export function sayMistake(error: unknown): void {
  add({ text: messageOf(error), isMistake: true, undo: null });
}

/** What has happened lately, at the foot of each view; screen readers hear it. */
export function Messages() {
  const { act } = words.value;
  return (
    <div class="messages" role="log" aria-live="polite">
      {messages.value.map(({ id, text, isMistake, undo }) => (
        <p key={id} class={isMistake ? 'message mistake' : 'message'}>
          <Said of={text} />
          {undo && (
            <button
              type="button"
              onClick={() => {
                close(id);
                undo().catch(sayMistake);
              }}
            >
              {act.undo}
            </button>
          )}
          <button type="button" class="plain" aria-label={act.close} onClick={() => close(id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}
