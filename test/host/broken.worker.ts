/** A worker that dies while its code is loaded. */
throw new Error('cannot be loaded');
