import type { ComponentType } from 'preact';
import { Now } from '../now/now.tsx';
import { lazy } from './lazy.tsx';

interface Screen {
  readonly pattern: RegExp;
  /** Gets the groups of the pattern. */
  readonly screen: ComponentType<{ readonly parts: readonly string[] }>;
}

/**
 * The screens beyond the first one and the timeline. One module has them all, because with several of them there is a small
 * file for each set that shares something, and a browser asks for few files at once.
 */
const further = () => import('./further-screens.ts');

const screens: readonly Screen[] = [
  { pattern: /^\/$/, screen: Now },
  { pattern: /^\/manage$/, screen: lazy(() => further().then(({ Manage }) => Manage)) },
  { pattern: /^\/manage\/service\/workers$/, screen: lazy(() => further().then(({ Workers }) => Workers)) },
  { pattern: /^\/manage\/service\/settings$/, screen: lazy(() => further().then(({ Settings }) => Settings)) },
  { pattern: /^\/manage\/service\/plugins$/, screen: lazy(() => further().then(({ Plugins }) => Plugins)) },
  {
    pattern: /^\/manage\/(\w+)(?:\/(new|\d+))?$/,
    screen: lazy(() => further().then(({ ManageRecords }) => ManageRecords)),
  },
  { pattern: /^\/templates$/, screen: lazy(() => further().then(({ Templates }) => Templates)) },
  { pattern: /^\/templates\/new$/, screen: lazy(() => further().then(({ TemplateForm }) => TemplateForm)) },
  { pattern: /^\/templates\/(\d+)\/edit$/, screen: lazy(() => further().then(({ TemplateForm }) => TemplateForm)) },
  { pattern: /^\/templates\/(\d+)$/, screen: lazy(() => further().then(({ OneTemplate }) => OneTemplate)) },
  { pattern: /^\/begin(?:\/([a-z_-]+))?$/, screen: lazy(() => further().then(({ Begin }) => Begin)) },
  { pattern: /^\/timeline$/, screen: lazy(() => import('../timeline/timeline.tsx').then(({ Timeline }) => Timeline)) },
  { pattern: /^\/runs$/, screen: lazy(() => further().then(({ Runs }) => Runs)) },
  { pattern: /^\/jobs$/, screen: lazy(() => further().then(({ Jobs }) => Jobs)) },
  { pattern: /^\/runs\/(\d+)$/, screen: lazy(() => further().then(({ Run }) => Run)) },
  {
    pattern: /^\/jobs\/(\d+)$/,
    screen: lazy(() => further().then(({ AdHocRun }) => AdHocRun)),
  },
  { pattern: /^\/audit$/, screen: lazy(() => further().then(({ Audit }) => Audit)) },
  { pattern: /^\/audit\/(\d+)$/, screen: lazy(() => further().then(({ OneEntry }) => OneEntry)) },
  { pattern: /^\/events$/, screen: lazy(() => further().then(({ Events }) => Events)) },
  { pattern: /^\/events\/(\d+)$/, screen: lazy(() => further().then(({ OneEvent }) => OneEvent)) },
  { pattern: /^\/deliveries$/, screen: lazy(() => further().then(({ Deliveries }) => Deliveries)) },
  { pattern: /^\/deliveries\/(\d+)$/, screen: lazy(() => further().then(({ OneDelivery }) => OneDelivery)) },
  { pattern: /^\/account$/, screen: lazy(() => further().then(({ Account }) => Account)) },
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
