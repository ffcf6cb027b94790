/** A worker that fails while its code is loaded. */
throw new Error('cannot be loaded');
