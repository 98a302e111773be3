import type { AnyResource, Route } from '@horarium/core';

/** Chapters that speak of no kind of record. */
const others: Readonly<Record<string, string>> = {
  session: 'Signing in for a token, and ending it.',
  service: 'How the service is, and what it offers.',
};

/** What people look for first. */
const first = ['session', 'companies', 'apps', 'runtemplates', 'tasks', 'jobs'];

/** The chapters of the documentation, in the order in which one meets them. */
export function chapters(
  routes: readonly Route[],
  resources: readonly AnyResource[],
): { name: string; description: string }[] {
  const names = [...new Set(routes.map(({ shape }) => shape.tag))];
  const ordered = [...first.filter((name) => names.includes(name)), ...names.filter((name) => !first.includes(name))];
  return ordered.map((name) => {
    const description = others[name] ?? resources.find(({ names: words }) => words.plural === name)?.description;
    if (description === undefined) throw new Error(`Nothing is said of the chapter ${name} of the API.`);
    return { name, description };
  });
}
