import type { FormatContext, Link } from '@horarium/core/plugin';
import type { Cell } from './cell.ts';
import { sectionsOf } from './sections.ts';
import { style } from './style.ts';
import { fill } from './templates.ts';
import { visibleControls } from './visible-controls.ts';

interface Heading {
  /** The subject of the page, which also begins its title. */
  readonly text: string;
  /** Smaller text after it. */
  readonly aside?: string;
  readonly state?: Cell | undefined;
}

/** Writes the beginning of a page, up to its content. */
export function beginPage({ text, aside = '', state }: Heading, { links }: FormatContext): string {
  const trail: readonly Link[] = links?.up ?? [];
  const sections = sectionsOf(links);
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

/** Writes the end of a page. @param hasTimes whether the page shows times, which a note then says are UTC. */
export function endPage(hasTimes: boolean): string {
  return `${fill('@end', { times: hasTimes })}\n`;
}

/** The name of the section that the page belongs to. */
function sectionOf(links: FormatContext['links']): string | undefined {
  const [self] = links?.formats.find((link) => link.name === 'html')?.href.split('?') ?? [];
  return sectionsOf(links).find((link) => link.href === self)?.name ?? links?.up[0]?.name;
}
