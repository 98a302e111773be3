import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { words } from '../words/words.ts';

/** Makes a component of one that is loaded when it is shown first. Where that fails, the page can be loaded again. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const loaded = signal<ComponentType<P> | null>(null);
  const hasFailed = signal(false);
  return function Lazy(props: P) {
    useEffect(() => {
      if (loaded.value) return;
      hasFailed.value = false;
      load().then(
        (component) => {
          loaded.value = component;
        },
        () => {
          hasFailed.value = true;
        },
      );
    }, []);
    const { shell } = words.value;
    if (loaded.value) return <loaded.value {...props} />;
    if (!hasFailed.value) return <p class="soft">{shell.loading}</p>;
    return (
      <p role="alert">
        {shell.notLoaded}{' '}
        <button type="button" onClick={() => location.reload()}>
          {shell.reload}
        </button>
      </p>
    );
  };
}
