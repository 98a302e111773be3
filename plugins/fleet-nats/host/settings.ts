import { attemptLimitOptions, count, HorariumError, type RowOf, seconds, text, texts } from '@horarium/core/plugin';
import { subjectPrefix } from '../wire/subjects.ts';

/** The options of the plugin. */
export const fleetOptions = {
  servers: texts(255, {
    description: 'The URLs of the NATS servers: tls://nats.example.com:4222, or nats:// without TLS.',
  }),
  host_key_file: text(4096, {
    description:
      'The file with the keys that all hosts of the service share, which the service needs; it is made where there is none.',
  }),
  jwt_file: text(4096, { description: 'The file with the JWT of the hosts, where NATS runs in operator mode.' }),
  tls_ca: text(4096, { description: 'A file with the authorities that are trusted, in PEM; null = those of Node.js.' }),
  tls_certificate: text(4096, { description: 'A file with the certificate of this host, where NATS asks for one.' }),
  tls_key: text(4096, { description: 'The file with its key.' }),
  subject_prefix: text(32, {
    description: 'What subjects and streams begin with; services that share NATS have different ones.',
  })
    .matches(subjectPrefix, ({ path }: { path: string }) => `${path} must be a-z, 0-9 and dashes`)
    .default('horarium')
    .nonNullable(),
  replicas: count(1, { description: 'How many servers of a cluster keep each message: 1, 3 or 5.' }).min(1).max(5),
  max_report_size: count(1024 * 1024 * 1024, {
    description: 'The maximum size of the reports that wait for a host, in bytes; beyond it agents wait.',
  }).min(1024 * 1024),
  lease: seconds(10, { description: 'How long an agent runs its jobs while NATS does not answer it.' }).min(2).max(300),
  offline_grace: seconds(900, { description: 'How long agents run their jobs while no host is there.' })
    .min(10)
    .max(86_400),
  ...attemptLimitOptions,
};
export type FleetOptions = RowOf<typeof fleetOptions>;

/**
 * Returns the path of the file with the keys of the hosts. The option is no required one, so that commands that need no keys work
 * without it.
 * @throws HorariumError `invalid` where the option is missing.
 */
export function hostKeyFile({ host_key_file: path }: Pick<FleetOptions, 'host_key_file'>): string {
  if (path !== null) return path;
  throw new HorariumError(
    'invalid',
    'The plugin fleet-nats needs the option host_key_file: the path of the file with the keys of the hosts, such as /var/lib/horarium/hosts.key.',
  );
}
