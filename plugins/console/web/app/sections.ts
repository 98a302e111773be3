/** The screens that the navigation leads to, in its order: the name of each in the words, its path and its key after `g`. */
export const sections = [
  { name: 'now', path: '/', key: 'n' },
  { name: 'timeline', path: '/timeline', key: 't' },
  { name: 'templates', path: '/templates', key: 'm' },
  { name: 'runs', path: '/runs', key: 'r' },
  { name: 'events', path: '/events', key: 'e' },
  { name: 'deliveries', path: '/deliveries', key: 'd' },
  { name: 'audit', path: '/audit', key: 'a' },
  { name: 'manage', path: '/manage', key: 's' },
] as const;
