import type { FormatContext, Link } from '@horarium/core/plugin';
import type { Cell } from './cell.ts';
import { style } from './style.ts';
import { fill } from './templates.ts';
import { visibleControls } from './visible-controls.ts';

interface Heading {
  /** What the page is about, first in its title. */
  readonly text: string;
  /** Beside it, smaller. */
  readonly aside?: string;
  readonly state?: Cell | undefined;
}

/** A page up to where its own content begins. */
export function beginPage({ text, aside = '', state }: Heading, { links }: FormatContext): string {
  const trail: readonly Link[] = links?.up ?? [];
  const sections = links?.sections ?? [];
  const home = sections.find((link) => link.name === 'index') ?? sections[0];
  return fill('@begin', {
    style,
    title: [text, aside, 'Horarium']
      .filter((part) => part !== '')
      .map(visibleControls)
      .join(' · '),
    heading: visibleControls(text),
    aside: visibleControls(aside),
    state,
    trail,
    home: home?.href ?? '',
    // The name of the service leads to the index.
    sections: sections.filter((link) => link !== home),
    section: sectionOf(links),
    formats: links?.formats ?? [],
  });
}

/** @param times whether there are times on it, which are UTC. */
export function endPage(times: boolean): string {
  return `${fill('@end', { times })}\n`;
}

/** The section that a page is, or is in. */
function sectionOf(links: FormatContext['links']): string | undefined {
  const [self] = links?.formats.find((link) => link.name === 'html')?.href.split('?') ?? [];
  return links?.sections.find((link) => link.href === self)?.name ?? links?.up[0]?.name;
}
