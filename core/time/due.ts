import type { Instant, Milliseconds } from '../loop/clock.ts';
import { second } from './duration.ts';
import type { Window } from './windows.ts';

/** The fields of a run template that determine when a window's first job is due. */
export interface DueRule {
  /** Seconds from the start of the window until its job is due. */
  readonly delay: number;
  /** The most seconds added to it; the number added differs between templates and windows. */
  readonly jitter: number;
}

/**
 * Returns when the first job of a window is due: its start plus the delay and the jitter. The result is always
 * inside the window: at the latest one second before its end.
 */
export function dueAt(rule: DueRule, window: Window, templateId: number): Instant {
  const dueTime = window.start + rule.delay * second + jitterOf(rule.jitter, templateId, window.start);
  return Math.min(dueTime, Math.max(window.start, window.end - second));
}

/** Returns a fraction of that many seconds: pseudo-random, and the same on every host at any time. */
export function jitterOf(seconds: number, templateId: number, start: Instant): Milliseconds {
  if (seconds === 0) return 0;
  return Math.floor((hash(`${templateId}:${start}`) / 2 ** 32) * (seconds * second + 1));
}

// Hashes by FNV-1a, then the finishing steps of MurmurHash3, so that neighbouring windows and templates land far apart.
function hash(text: string): number {
  let bits = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
