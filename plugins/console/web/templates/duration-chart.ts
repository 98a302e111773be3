import uPlot from 'uplot';
import { dayText, spanText, timeText } from '../parts/times.ts';
import { words } from '../words/words.ts';

const second = 1000;
const day = 24 * 60 * 60 * second;
/** The steps of the scale of durations, in seconds: those of a clock. */
const steps = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
];

/**
 * Draws durations as dots over time.
 * @param points times and durations in seconds, oldest first.
 * @returns a function that removes the chart.
 */
export function drawDurations(
  place: HTMLElement,
  points: readonly (readonly [at: number, seconds: number])[],
  height: number,
  label: string,
): () => void {
  // The colours of a canvas are resolved when it is drawn, those of the page by its scheme.
  const isDark = matchMedia('(prefers-color-scheme: dark)');
  const resolved = (name: string) => {
    const probe = document.createElement('span');
    probe.className = name;
    place.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  };
  const axis = () => ({
    stroke: () => resolved('soft'),
    grid: { show: false },
    ticks: { show: false },
    font: '12px system-ui',
  });
  const chart = new uPlot(
    {
      width: place.clientWidth,
      height,
      legend: { show: false },
      cursor: { show: false },
      series: [
        {},
        {
          label,
          paths: () => null,
          points: { show: true, size: 5, width: 0, fill: () => resolved('is-fulfilled dot-colour') },
        },
      ],
      axes: [
        {
          ...axis(),
          space: 90,
          values: (_, values, __, ___, step) =>
            values.map((at) => (step * second < day ? timeText(at * second) : dayText(at * second))),
        },
        {
          ...axis(),
          size: 64,
          incrs: steps,
          values: (_, values) =>
            values.map((value) => (value < 10 ? words.value.template.oneDuration(value) : spanText(value * second))),
        },
      ],
      scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.1, 0.2)] } },
    },
    [points.map(([at]) => at), points.map(([, seconds]) => seconds)],
    place,
  );
  const redraw = () => chart.redraw();
  const resize = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height }));
  resize.observe(place);
  isDark.addEventListener('change', redraw);
  return () => {
    resize.disconnect();
    isDark.removeEventListener('change', redraw);
    chart.destroy();
  };
}
