interface Bar {
  /** What the bar is about, on hover and for screen readers. */
  readonly label: string;
  /** The state whose colour it has; null = nothing was owed. */
  readonly state: string | null;
  /** From 0 to 1. */
  readonly height: number;
}

interface StripProps {
  readonly bars: readonly Bar[];
  /** What the strip shows, for screen readers. */
  readonly label: string;
}

/** Bars of equal width, a moment of time each: what became of what was owed then. */
export function Strip({ bars, label }: StripProps) {
  const width = 100 / Math.max(1, bars.length);
  return (
    <svg class="strip" role="img" aria-label={label} viewBox="0 0 100 20" preserveAspectRatio="none">
      {bars.map(({ label: title, state, height }, index) => (
        <rect
          key={index}
          class={state === null ? undefined : `is-${state}`}
          x={index * width + width * 0.12}
          width={width * 0.76}
          y={20 - Math.max(height * 20, 1.5)}
          height={Math.max(height * 20, 1.5)}
        >
          <title>{title}</title>
        </rect>
      ))}
    </svg>
  );
}
