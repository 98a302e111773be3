import type { PluginTemplate } from './plugin-template.ts';

/** An action that sends a line over TCP. */
export const actionTemplate: PluginTemplate = {
  summary: (name) => `Sends a line of JSON to a TCP port, as the action ${name}.`,

  plugin: (name) => `import { connect } from 'node:net';
import { defineAction, definePlugin, integer, noticeText, text } from '@horarium/core/plugin';

export default definePlugin({
  name: '${name}',
  api: 1,
  actions: () => [
    defineAction({
      name: '${name}',
      options: {
        host: text(255, { description: 'Where to send it.' }).default('127.0.0.1').nonNullable(),
        port: integer({ description: 'The TCP port.' }).min(1).max(65535).required(),
      },
      // Only admins may write it into a list, because it reaches what the service reaches.
      adminOnly: true,
      // An endpoint that does not respond delays no delivery to another.
      endpoint: ({ host, port }) => \`\${host}:\${port}\`,
      // It has arrived when the promise resolves; an error that is thrown has it sent again later.
      async deliver({ id, options: { host, port }, notice }, signal) {
        const socket = connect({ host, port, signal }).setEncoding('utf8');
        // The notice in words; \`notice.reason\` alone is null after a success.
        const { subject } = noticeText(notice);
        socket.write(\`\${JSON.stringify({ id, event: notice.event, subject })}\\n\`);
        // Leaving the loop closes the connection.
        for await (const answer of socket) return { response: answer.trim() };
        throw new Error(\`\${host}:\${port} closed the connection without an answer\`);
      },
    }),
  ],
});
`,

  fixtures: (name) => `import { once } from 'node:events';
import { createServer } from 'node:net';
import { defineFixtures } from '@horarium/core/contracts';

/** Listens on a free port without keeping the process alive. */
async function listen(onConnection) {
  const server = createServer(onConnection).listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return { server, port: server.address().port };
}

export default defineFixtures({
  actions: {
    '${name}': async () => {
      let open = 0;
      let arrived = 0;
      const count = (socket) => {
        open += 1;
        socket.on('error', () => undefined).on('close', () => {
          open -= 1;
        });
        socket.resume();
      };
      const receiver = await listen((socket) => {
        count(socket);
        socket.once('data', () => {
          arrived += 1;
          socket.end('thanks\\n');
        });
      });
      const silent = await listen(count);
      const closed = await listen();
      closed.server.close();
      const to = ({ port }) => ({ host: '127.0.0.1', port });
      return {
        // Options whose deliveries arrive, cannot arrive, and make the action wait.
        reachable: to(receiver),
        unreachable: [to(closed)],
        unresponsive: [to(silent)],
        // Secrets in those options, which no error may show.
        secrets: [],
        // Count, without the action, what has arrived and what it holds open.
        arrived: () => arrived,
        connections: () => open,
      };
    },
  },
});
`,

  use: (name) => [
    'while true; do echo thanks | nc -l 127.0.0.1 9000; done &',
    `npx horarium runtemplate:save --id 1 --set 'on_failure=[{"action": "${name}", "port": 9000}]'`,
  ],
};
