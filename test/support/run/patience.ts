/** How long processes may take to end after the tests that started them, and again after each signal, in milliseconds. */
export const patience = Number(process.env['HORARIUM_TEST_PATIENCE'] ?? 10_000);
