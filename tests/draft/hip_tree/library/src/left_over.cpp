#error in no list of the build
