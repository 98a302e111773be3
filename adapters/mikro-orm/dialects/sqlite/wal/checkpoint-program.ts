import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

// The program of a thread: makes a checkpoint for each message, and answers. An error ends it.
const database = new Database(workerData as string, { fileMustExist: true });
parentPort?.on('message', () => {
  database.pragma('wal_checkpoint(PASSIVE)');
  parentPort?.postMessage(null);
});
