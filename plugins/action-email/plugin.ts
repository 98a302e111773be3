import { choice, defineAction, definePlugin, integer, text } from '@horarium/core/plugin';
import { digestInterval, digestOption, messageOptions } from '../messages/message-options.ts';
import { MailServer } from './mail-server.ts';

/** One address or several, as a header has them, without names. */
const addressList = /^[^\s@<>,;"]+@[^\s@<>,;"]+(?:, ?[^\s@<>,;"]+@[^\s@<>,;"]+)*$/;

const mustBeAddresses = ({ path }: { path: string }) =>
  `${path} must be an address such as ops@example.com, or several separated by commas`;

/** Sends notices by e-mail, through the mail server of the operator. */
export default definePlugin({
  name: 'action-email',
  api: 1,
  options: {
    host: text(255, { description: 'The mail server (SMTP). Null = no e-mail can be sent.' }),
    port: integer({ description: 'Null = 465 with tls, else 587.' }).min(1).max(65_535),
    security: choice(['starttls', 'tls', 'none'], {
      description: 'How the connection is protected.',
      meanings: {
        starttls: 'by STARTTLS; nothing is sent without it',
        tls: 'by TLS from its beginning',
        none: 'not at all, for a server on this machine',
      },
    })
      .default('starttls')
      .nonNullable(),
    user: text(255, { description: 'Null = without signing in.' }),
    password: text(1024, { secret: 'encrypted' }),
    from: text(255, { description: 'The sender. Null = horarium at the name of this machine.' }),
    ca: text(65_536, { description: 'Trusted certificates, in PEM; null = the well-known authorities.' }),
  },
  actions: ({ options }) => {
    const server = new MailServer(options);
    return [
      defineAction({
        name: 'email',
        options: {
          to: text(2000, { description: 'The address, or several separated by commas.' })
            .matches(addressList, { message: mustBeAddresses })
            .nonNullable()
            .required(),
          digest: digestOption(3600),
          ...messageOptions,
        },
        refuse: () =>
          options.host === null
            ? 'the operator has configured no mail server: host of action-email (horarium help mail)'
            : null,
        endpoint: ({ to }) => `mailto:${to}`,
        digestInterval,
        deliver: (delivery, signal) => server.send(delivery, signal),
      }),
    ];
  },
});
