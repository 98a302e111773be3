import { connect, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { type ActionDelivery, DeliveryRefused, type DeliveryResult, noticeText } from '@horarium/core/plugin';

/** How the operator's mail server is reached. */
export interface MailServerOptions {
  readonly host: string | null;
  readonly port: number | null;
  readonly security: 'starttls' | 'tls' | 'none';
  readonly user: string | null;
  readonly password: string | null;
  readonly from: string | null;
  readonly ca: string | null;
}

/** How a message is addressed and worded. */
interface Message {
  readonly to: string;
  readonly subject: string | null;
  readonly text: string | null;
}

/** How long the server may take for each step, in milliseconds. */
const stepTimeout = 10_000;

/** Sends notices through a mail server, with a connection for each. */
export class MailServer {
  readonly #options: MailServerOptions;

  constructor(options: MailServerOptions) {
    this.#options = options;
  }

  /** @throws Error that says why the server did not accept the message; the password is not in it. */
  async send(
    { id, options, notice }: Pick<ActionDelivery, 'id' | 'notice'> & { readonly options: Readonly<Message> },
    signal: AbortSignal,
  ): Promise<DeliveryResult> {
    const { host, port, security, user, password, from, ca } = this.#options;
    if (host === null) throw new Error('No mail server is configured: the option host of action-email is missing.');
    const { subject, text } = noticeText(notice, options);
    const sockets = new Set<Socket>();
    const abort = () => {
      for (const socket of sockets) socket.destroy(new Error('The connection was given up.'));
    };
    // Imported when first used, because the library is large, and most services send no mail.
    const { createTransport } = await import('nodemailer');
    signal.throwIfAborted();
    signal.addEventListener('abort', abort, { once: true });
    const transport = createTransport({
      host,
      port: port ?? (security === 'tls' ? 465 : 587),
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      ...(user !== null && { auth: { user, pass: password ?? '' } }),
      ...(ca !== null && { tls: { ca } }),
      connectionTimeout: stepTimeout,
      greetingTimeout: stepTimeout,
      socketTimeout: stepTimeout,
      disableFileAccess: true,
      disableUrlAccess: true,
      // The connection is made here, so that it can be given up at any time.
      getSocket: (target, callback) => {
        const socket = connect({ host: String(target.host), port: Number(target.port), timeout: stepTimeout });
        sockets.add(socket);
        const fail = (error: Error) => callback(error, false);
        socket.once('error', fail).once('timeout', () => socket.destroy(new Error('It does not accept a connection.')));
        socket.once('connect', () => {
          socket.off('error', fail);
          socket.setTimeout(0);
          callback(null, { connection: socket });
        });
      },
    });
    try {
      const sent = await transport.sendMail({
        from: from ?? `Horarium <horarium@${hostname()}>`,
        to: options.to,
        subject,
        text,
        html: htmlOf(text),
        // The same in each attempt, so that a mail server that has the message already can leave it out.
        messageId: `<${id}@horarium>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Horarium-Delivery': id },
        date: new Date(notice.occurred_at),
      });
      return { status: Number.parseInt(sent.response, 10), response: sent.response };
    } catch (error) {
      throw explained(host, error, signal);
    } finally {
      signal.removeEventListener('abort', abort);
      transport.close();
      abort();
    }
  }
}

/** An error of the mail server, or of the way to it. */
type MailError = Error & { readonly code?: string; readonly responseCode?: number; readonly response?: string };

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no host of this name',
  EDNS: 'its name cannot be resolved',
  EAI_AGAIN: 'its name cannot be resolved at the moment',
  ECONNREFUSED: 'it refuses the connection',
  ETIMEDOUT: 'it does not answer in time',
  EAUTH: 'it refuses the user or the password',
};

function explained(host: string, error: unknown, signal: AbortSignal): Error {
  if (signal.aborted) return new Error(`The mail server ${host} did not answer before the attempt was ended.`);
  const { code = '', responseCode: status, response, message } = error as MailError;
  const [line = ''] = message.split(/[\r\n]/);
  const reason = sentences[code] ?? line.replace(/\.$/, '');
  return new DeliveryRefused(`The mail server ${host} did not take the message: ${reason}.`, { status, response });
}

/** Writes a message as HTML: the same words, with its link to click on. */
function htmlOf(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  const linked = escaped.replaceAll(/https?:\/\/[^\s<>"]+/g, (url) => `<a href="${url}">${url}</a>`);
  return `<pre style="font-family: inherit; white-space: pre-wrap">${linked}</pre>\n`;
}
