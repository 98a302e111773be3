import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../words/words.ts';
import { sections } from './sections.ts';

/** Whether the list of the keys is open. */
export const isKeyHelpOpen = signal(false);

/** Lists the keys: those that move, those that lead to a screen, and those of rows. */
export function KeyHelp() {
  const { keys, nav, act } = words.value;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    isKeyHelpOpen.value = false;
  };
  return (
    <dialog ref={dialog} class="ask" aria-labelledby="key-help" onClose={close}>
      <h1 id="key-help">{keys.title}</h1>
      <dl class="facts">
        {Object.entries(keys.list).map(([key, text]) => (
          <>
            <dt>
              {key.split(' ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </>
        ))}
        {sections.map(({ name, key }) => (
          <>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{nav[name]}</dd>
          </>
        ))}
      </dl>
      <button type="button" onClick={close}>
        {act.close}
      </button>
    </dialog>
  );
}
