import { useEffect, useRef } from 'preact/hooks';
import { useLivePage } from '../data/answer.ts';
import { language, words } from '../words/words.ts';

interface EndedJob {
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

const shownJobs = 300;
const height = 140;

/** How long the successful attempts of a template took, newest at the right. */
export function Durations({ template }: { readonly template: number }) {
  const text = words.value.template;
  const { value } = useLivePage<EndedJob>(`/jobs.json?runtemplate_id=${template}&state=succeeded&limit=${shownJobs}`, {
    kinds: [],
    every: 60_000,
  });
  const points = (value?.rows ?? [])
    .flatMap(({ started_at, finished_at }) =>
      started_at && finished_at ? [[Date.parse(started_at), Date.parse(finished_at)] as const] : [],
    )
    .map(([start, end]) => [start / 1000, (end - start) / 1000] as const)
    .toSorted(([one], [other]) => one - other);
  const place = useRef<HTMLDivElement>(null);
  const drawn = points.map(([at]) => at).join();
  useEffect(() => {
    const element = place.current;
    if (!element || points.length < 2) return undefined;
    let isOver = false;
    let remove: (() => void) | undefined;
    void import('./duration-chart.ts').then(({ drawDurations }) => {
      if (!isOver) remove = drawDurations(element, points, height, text.seconds);
    });
    return () => {
      isOver = true;
      remove?.();
    };
    // The scheme decides the colours, and the language the words.
  }, [drawn, language.value]);
  if (!value) return null;
  const sorted = points.map(([, seconds]) => seconds).toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return points.length < 2 ? (
    <p class="soft">{text.noDurations}</p>
  ) : (
    <figure class="durations">
      <div ref={place} aria-hidden="true" />
      <figcaption class="soft">{text.durations(at(0.5), at(0.95), points.length)}</figcaption>
    </figure>
  );
}
