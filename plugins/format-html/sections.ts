import type { FormatContext, Link } from '@horarium/core/plugin';

/** The sections that come first, because readers look for them. */
const first = ['tasks', 'tasks/summary', 'jobs', 'runtemplates', 'apps', 'companies'];
/** Sections that no page leads to, because they are for programs; people have the documentation. */
const forPrograms: ReadonlySet<string> = new Set(['openapi']);

/** The sections of the service, in the order in which pages show them. */
export function sectionsOf(links: FormatContext['links']): Link[] {
  const rank = ({ name }: Link) => (first.includes(name) ? first.indexOf(name) : first.length);
  const sections = links?.sections.filter(({ name }) => !forPrograms.has(name)) ?? [];
  return sections.sort((one, other) => rank(one) - rank(other));
}
