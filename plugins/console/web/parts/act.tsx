import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { sayMistake } from './messages.tsx';

interface ActProps {
  readonly children: ComponentChildren;
  /** Does it, and says what has happened. What it throws is said. */
  readonly act: () => unknown;
  /** The key that presses the button while its row, or nothing, has the focus. */
  readonly shortcut?: string;
  readonly primary?: boolean;
  readonly disabled?: boolean;
  /** Names what the button is about for screen readers, where many have the same text: `Run again: Nightly backup`. */
  readonly label?: string;
  /** Whether what it unfolds is open; undefined = it unfolds nothing. */
  readonly expanded?: boolean;
}

/** A button that does something, once at a time. */
export function Act({ children, act, shortcut, primary = false, disabled = false, label, expanded }: ActProps) {
  const isBusy = useSignal(false);
  const press = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    try {
      await act();
    } catch (error) {
      sayMistake(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <button
      type="button"
      class={primary ? 'primary' : undefined}
      disabled={disabled}
      aria-busy={isBusy.value}
      aria-label={label}
      aria-expanded={expanded}
      data-key={shortcut}
      onClick={() => void press()}
    >
      {children}
      <Key of={shortcut} />
    </button>
  );
}

interface ActLinkProps extends Pick<ActProps, 'children' | 'shortcut' | 'label'> {
  readonly href: string;
}

/** A link among the buttons of a row. */
export function ActLink({ children, href, shortcut, label }: ActLinkProps) {
  return (
    <a class="button" href={href} aria-label={label} data-key={shortcut}>
      {children}
      <Key of={shortcut} />
    </a>
  );
}

function Key({ of }: { readonly of: string | undefined }) {
  return (
    of !== undefined && (
      <span class="key" aria-hidden="true">
        {of.toUpperCase()}
      </span>
    )
  );
}
