import type { ComponentType } from 'preact';
import { Now } from '../now/now.tsx';
import { lazy } from './lazy.tsx';

interface Screen {
  readonly pattern: RegExp;
  /** Gets the groups of the pattern. */
  readonly screen: ComponentType<{ readonly parts: readonly string[] }>;
}

/** Small screens that are seldom the first: one file has them all. */
const evidence = () => import('./evidence-screens.ts');
/** Lists and forms of records. */
const records = () => import('./record-screens.ts');

const screens: readonly Screen[] = [
  { pattern: /^\/$/, screen: Now },
  { pattern: /^\/manage$/, screen: lazy(() => records().then(({ Manage }) => Manage)) },
  { pattern: /^\/manage\/service\/workers$/, screen: lazy(() => evidence().then(({ Workers }) => Workers)) },
  { pattern: /^\/manage\/service\/settings$/, screen: lazy(() => evidence().then(({ Settings }) => Settings)) },
  { pattern: /^\/manage\/service\/plugins$/, screen: lazy(() => evidence().then(({ Plugins }) => Plugins)) },
  {
    pattern: /^\/manage\/(\w+)(?:\/(new|\d+))?$/,
    screen: lazy(() => records().then(({ ManageRecords }) => ManageRecords)),
  },
  { pattern: /^\/templates$/, screen: lazy(() => records().then(({ Templates }) => Templates)) },
  { pattern: /^\/templates\/new$/, screen: lazy(() => records().then(({ TemplateForm }) => TemplateForm)) },
  { pattern: /^\/templates\/(\d+)\/edit$/, screen: lazy(() => records().then(({ TemplateForm }) => TemplateForm)) },
  { pattern: /^\/templates\/(\d+)$/, screen: lazy(() => records().then(({ OneTemplate }) => OneTemplate)) },
  {
    pattern: /^\/begin(?:\/([a-z_-]+))?$/,
    screen: lazy(() => import('../begin/begin.tsx').then(({ Begin }) => Begin)),
  },
  { pattern: /^\/timeline$/, screen: lazy(() => import('../timeline/timeline.tsx').then(({ Timeline }) => Timeline)) },
  { pattern: /^\/runs$/, screen: lazy(() => import('../runs/list/runs.tsx').then(({ Runs }) => Runs)) },
  { pattern: /^\/jobs$/, screen: lazy(() => import('../runs/list/jobs.tsx').then(({ Jobs }) => Jobs)) },
  { pattern: /^\/runs\/(\d+)$/, screen: lazy(() => import('../runs/run/run.tsx').then(({ Run }) => Run)) },
  {
    pattern: /^\/jobs\/(\d+)$/,
    screen: lazy(() => import('../runs/run/ad-hoc-run.tsx').then(({ AdHocRun }) => AdHocRun)),
  },
  { pattern: /^\/audit$/, screen: lazy(() => evidence().then(({ Audit }) => Audit)) },
  { pattern: /^\/audit\/(\d+)$/, screen: lazy(() => evidence().then(({ OneEntry }) => OneEntry)) },
  { pattern: /^\/events$/, screen: lazy(() => evidence().then(({ Events }) => Events)) },
  { pattern: /^\/events\/(\d+)$/, screen: lazy(() => evidence().then(({ OneEvent }) => OneEvent)) },
  { pattern: /^\/deliveries$/, screen: lazy(() => evidence().then(({ Deliveries }) => Deliveries)) },
  { pattern: /^\/deliveries\/(\d+)$/, screen: lazy(() => evidence().then(({ OneDelivery }) => OneDelivery)) },
  { pattern: /^\/account$/, screen: lazy(() => evidence().then(({ Account }) => Account)) },
];

/** Finds the screen of a view, and what its path says. @returns null where there is none. */
export function screenOf(view: string) {
  for (const { pattern, screen } of screens) {
    const [match, ...parts] = pattern.exec(view) ?? [];
    if (match !== undefined)
      return { screen, parts: parts.filter((part) => part !== undefined).map(decodeURIComponent) };
  }
  return null;
}
