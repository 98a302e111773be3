import { once } from 'node:events';
import { createServer } from 'node:http';
import { defineFixtures } from '@horarium/core/contracts';

export default defineFixtures({
  // Of the addresses that are not public only this one is reached.
  options: { allowed_networks: ['127.0.0.1'] },
  actions: {
    async chat() {
      let open = 0;
      let arrived = 0;
      const server = createServer((request, response) => {
        if (request.url === '/silent') return;
        if (request.url === '/full') return void response.writeHead(429).end();
        arrived += 1;
        response.end('ok');
      });
      server.on('connection', (socket) => {
        open += 1;
        socket.on('close', () => {
          open -= 1;
        });
      });
      await once(server.listen(0, '127.0.0.1').unref(), 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const url = `http://127.0.0.1:${port}`;
      return {
        reachable: { url: `${url}/planted-key` },
        unreachable: [{ url: `${url}/full` }, { url: 'http://10.0.0.1/planted-key' }],
        unresponsive: [{ url: `${url}/silent` }],
        secrets: ['planted-key'],
        arrived: () => arrived,
        connections: () => open,
        close: () => void server.close(),
      };
    },
  },
});
