import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { sayMistake } from '../parts/messages.tsx';
import { words } from '../words/words.ts';
import { readFiles, type TextFile } from './text-files.ts';

interface DropZoneProps {
  /** What may be dropped there. */
  readonly label: ComponentChildren;
  /** What may be chosen, where nothing can be dropped. */
  readonly byTouch: ComponentChildren;
  readonly onFiles: (files: readonly TextFile[]) => void;
}

/** Takes files that are dropped on it, or chosen by its button. */
export function DropZone({ label, byTouch, onFiles }: DropZoneProps) {
  const isOver = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (files: FileList | null | undefined) => {
    if (files && files.length > 0) readFiles(files).then(onFiles, sayMistake);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button within does the same without a mouse.
    <div
      class={isOver.value ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => {
        isOver.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        take(event.dataTransfer?.files);
      }}
    >
      <p class="by-mouse">{label}</p>
      <p class="by-touch">{byTouch}</p>
      <button type="button" onClick={() => input.current?.click()}>
        {words.value.begin.choose}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          // The same file can be chosen again once it was edited.
          currentTarget.value = '';
        }}
      />
    </div>
  );
}
